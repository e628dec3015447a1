// Numbers of the system's generator, as seeds.
#include <cassert>
#include <random>

int main()
{
    std::random_device device;
    std::mt19937 one(device()), other(device());
    std::uniform_int_distribution<int> dice(1, 6);
    int first = dice(one), second = dice(other);
    assert(first >= 1 && first <= 6 && second >= 1 && second <= 6);
}
