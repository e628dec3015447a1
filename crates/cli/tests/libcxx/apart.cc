// false(data-race)
// Two latches, of which each thread counts down its own: that one was first orders nothing.
#include <atomic>
#include <latch>
#include <thread>

static int plain;
static std::atomic<bool> done{false};
static std::latch first(1), second(1);

int main()
{
    std::thread early([] {
        plain = 1;
        first.count_down();
        done.store(true, std::memory_order_relaxed);
    });
    std::thread late([] {
        if (!done.load(std::memory_order_relaxed))
            return;
        second.count_down();
        plain = 2;
    });
    early.join();
    late.join();
    return 0;
}
