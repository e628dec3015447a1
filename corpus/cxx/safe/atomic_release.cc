// std::atomic with explicit orders, and a fence.
#include <atomic>
#include <cassert>
#include <thread>

static int data;
static std::atomic<bool> ready{false};
static std::atomic<unsigned> hits{0};

int main()
{
    std::thread producer([] {
        data = 5;
        hits.fetch_add(1, std::memory_order_relaxed);
        ready.store(true, std::memory_order_release);
    });
    hits++;
    if (ready.load(std::memory_order_relaxed)) {
        std::atomic_thread_fence(std::memory_order_acquire);
        assert(data == 5);
    }
    producer.join();
    assert(hits == 2);
}
