// unknown: std::basic_ofstream
#include <fstream>

int main()
{
    std::ofstream file("file");
    file << 1;
    return 0;
}
