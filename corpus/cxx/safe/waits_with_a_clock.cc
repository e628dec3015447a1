// A wait until a time may end for either reason; the clock goes on.
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable changed;
static bool ready;

int main()
{
    std::thread other([] {
        std::lock_guard<std::mutex> guard(lock);
        ready = true;
        changed.notify_one();
    });
    auto begin = std::chrono::steady_clock::now();
    {
        std::unique_lock<std::mutex> guard(lock);
        bool seen = changed.wait_until(guard, begin + std::chrono::seconds(1), [] { return ready; });
        assert(seen == ready);
    }
    assert(std::chrono::steady_clock::now() >= begin);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    other.join();
    return 0;
}
