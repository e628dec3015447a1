// A promise, a task and a condition variable that become ready only when their thread ends: after its thread-local objects.
#include <cassert>
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

static int ended;

struct Last {
    bool used = false;
    ~Last()
    {
        ended += used;
    }
};

static thread_local Last last;

int main()
{
    std::promise<int> promise;
    auto future = promise.get_future();
    std::thread first([&promise] {
        last.used = true;
        promise.set_value_at_thread_exit(1);
    });
    assert(future.get() == 1 && ended == 1);
    first.join();

    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;
    std::thread second([&] {
        last.used = true;
        std::unique_lock<std::mutex> lock(mutex);
        done = true;
        std::notify_all_at_thread_exit(changed, std::move(lock));
    });
    {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [&done] { return done; });
        assert(ended == 2);
    }
    second.join();
}
