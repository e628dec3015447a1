// Two threads try to take one of two units each: both succeed.
// options: --cflags -std=c++20
#include <cassert>
#include <semaphore>
#include <thread>

static std::counting_semaphore<2> units(2);
static bool taken[2];

int main()
{
    std::thread other([] { taken[0] = units.try_acquire(); });
    taken[1] = units.try_acquire();
    other.join();
    assert(taken[0] && taken[1]);
}
