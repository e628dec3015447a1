// unknown: a std::locale other than
// Numbers would have other marks in it.
#include <iostream>
#include <locale>

int main()
{
    std::cout.imbue(std::locale("de_DE.UTF-8"));
    std::cout << 1234567 << '\n';
    return 0;
}
