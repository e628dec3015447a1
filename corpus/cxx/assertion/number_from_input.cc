// options: --symbolic-stdin 2
// A number that is read from any input: one input is the wrong one.
#include <cassert>
#include <iostream>

int main()
{
    int number = 0;
    std::cin >> number;
    assert(number != 42); // expect: assertion
    return 0;
}
