// false(memory.use-after-free)
// A raw pointer into what its owner frees.
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

std::mutex lock;

int main()
{
    auto owner = std::make_unique<std::vector<int>>(3, 1);
    int *raw = owner->data();
    std::thread other([raw] {
        std::lock_guard<std::mutex> holds(lock);
        *raw = 2;
    });
    {
        std::lock_guard<std::mutex> holds(lock);
        owner.reset();
    }
    other.join();
}
