// true
// A latch and a barrier.
#include <barrier>
#include <cassert>
#include <latch>
#include <thread>

int made[2];

int main()
{
    std::latch ready(2);
    std::thread first([&ready] {
        made[0] = 1;
        ready.count_down();
    });
    std::thread second([&ready] {
        made[1] = 2;
        ready.count_down();
    });
    ready.wait();
    assert(made[0] + made[1] == 3 && ready.try_wait());
    first.join();
    second.join();
}
