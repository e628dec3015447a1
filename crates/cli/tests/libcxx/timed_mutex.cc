// true
// A mutex with time-outs.
#include <cassert>
#include <chrono>
#include <mutex>
#include <thread>

std::timed_mutex lock;
int count, failed;
std::mutex of_failed;

void add()
{
    if (lock.try_lock_for(std::chrono::milliseconds(2))) {
        count++;
        lock.unlock();
    } else {
        std::lock_guard<std::mutex> holds(of_failed);
        failed++;
    }
}

int main()
{
    std::thread first(add);
    {
        std::lock_guard<std::timed_mutex> holds(lock);
        count++;
    }
    first.join();
    assert(count + failed == 2);
    assert(lock.try_lock());
    assert(!lock.try_lock());
    lock.unlock();
}
