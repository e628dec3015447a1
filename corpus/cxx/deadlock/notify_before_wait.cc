// The notification comes before the wait: it is lost.
// expect-anywhere: deadlock.lost-wakeup
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable changed;

int main()
{
    std::thread notifier([] { changed.notify_one(); });
    {
        std::unique_lock<std::mutex> guard(lock);
        changed.wait(guard);
    }
    notifier.join();
}
