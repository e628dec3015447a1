// true
// Waits that may time out: with a predicate, and without one.
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

using namespace std::chrono_literals;

std::mutex lock;
std::condition_variable changed;
bool ready;

int main()
{
    std::thread setter([] {
        std::lock_guard<std::mutex> holds(lock);
        ready = true;
        changed.notify_all();
    });
    {
        std::unique_lock<std::mutex> holds(lock);
        bool seen = changed.wait_for(holds, 50ms, [] { return ready; });
        assert(seen == ready);
    }
    {
        std::unique_lock<std::mutex> holds(lock);
        std::cv_status status = std::cv_status::no_timeout;
        while (!ready && status == std::cv_status::no_timeout)
            status = changed.wait_until(holds, std::chrono::system_clock::now() + 10ms);
        assert(ready || status == std::cv_status::timeout);
    }
    setter.join();
    assert(ready);
}
