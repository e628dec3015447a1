// A wait may end before its time is over, and the clock agrees.
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>

using namespace std::chrono_literals;

int main()
{
    std::mutex lock;
    std::condition_variable changed;
    std::thread other([&] {
        std::lock_guard<std::mutex> guard(lock);
        changed.notify_one();
    });
    {
        std::unique_lock<std::mutex> held(lock);
        if (changed.wait_for(held, 100ms) == std::cv_status::no_timeout)
            abort(); // expect: assertion.abort
    }
    other.join();
    return 0;
}
