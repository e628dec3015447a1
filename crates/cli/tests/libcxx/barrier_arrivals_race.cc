// false(data-race)
// An arrival at a barrier comes before the end of the phase, and before no other arrival.
#include <atomic>
#include <barrier>
#include <thread>
int x;
std::atomic<bool> arrived{false};
int main() {
    std::barrier<> b(4);
    std::thread t([&] {
        x = 1;
        (void)b.arrive();
        arrived.store(true, std::memory_order_relaxed);
    });
    if (arrived.load(std::memory_order_relaxed)) {
        (void)b.arrive();
        x = 2; // race
    }
    t.join();
}
