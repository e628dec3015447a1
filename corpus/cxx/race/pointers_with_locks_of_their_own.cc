// Atomic operations on one std::shared_ptr order nothing that is done with another one: the reader
// reads only if the writer's first store is done, which it learns without order.
#include <atomic>
#include <memory>
#include <thread>

std::shared_ptr<int> one = std::make_shared<int>(1);
std::shared_ptr<int> other = std::make_shared<int>(1);
std::atomic<bool> stored;
int data;

int main()
{
    std::thread writer([] {
        data = 1; // expect: data-race
        std::atomic_store(&one, std::shared_ptr<int>());
        stored.store(true, std::memory_order_relaxed);
    });
    if (stored.load(std::memory_order_relaxed)) {
        auto copy = std::atomic_load(&other);
        data += *copy; // expect: data-race
    }
    writer.join();
}
