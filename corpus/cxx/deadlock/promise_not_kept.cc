// One way through the keeper forgets the promise: who waits for it waits for ever.
// expect-anywhere: deadlock, lost-wakeup
#include <atomic>
#include <future>
#include <thread>

static std::atomic<bool> hurry;

int main()
{
    std::promise<void> promise;
    std::future<void> future = promise.get_future();
    std::thread keeper([&] {
        if (!hurry)
            promise.set_value();
    });
    hurry = true;
    future.wait();
    keeper.join();
    return 0;
}
