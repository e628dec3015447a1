// Unoptimised code reads a std::atomic in functions of the library. One read is enough.
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> ready{0};
static std::atomic<bool> left{false};
static int data;

static bool is_ready()
{
    for (int round = 0; round < 200; round++) {
        if (ready.load(std::memory_order_acquire) == 1)
            return true;
    }
    return false;
}

static void waits_for_the_end()
{
    for (unsigned round = 100; round != 0 && !left; round--) {
    }
}

int main()
{
    std::thread writer([] {
        data = 1;
        ready.store(1, std::memory_order_release);
        waits_for_the_end();
    });
    if (is_ready())
        assert(data == 1);
    left = true;
    writer.join();
    return 0;
}
