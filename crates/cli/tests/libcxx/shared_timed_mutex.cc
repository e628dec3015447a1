// true
// Readers and writers with time-outs.
#include <cassert>
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>

std::shared_timed_mutex lock;
int first, second;

int main()
{
    std::thread reader([] {
        std::shared_lock<std::shared_timed_mutex> holds(lock, std::chrono::milliseconds(4));
        if (holds)
            assert(first == second);
    });
    std::thread writer([] {
        std::unique_lock<std::shared_timed_mutex> holds(lock);
        first++;
        second++;
    });
    reader.join();
    writer.join();
    assert(lock.try_lock());
    assert(!lock.try_lock_shared());
    lock.unlock();
    assert(first == 1);
}
