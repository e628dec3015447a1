// std::condition_variable with a predicate, std::unique_lock.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable changed;
static int items;

int main()
{
    std::thread consumer([] {
        std::unique_lock<std::mutex> guard(lock);
        changed.wait(guard, [] { return items > 0; });
        items--;
    });
    {
        std::lock_guard<std::mutex> guard(lock);
        items++;
    }
    changed.notify_one();
    consumer.join();
    assert(items == 0);
}
