// true
// The condition variable is notified while the mutex is still locked, so who finds the flag set may destroy both.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

int main()
{
    int answer = 0;
    {
        std::mutex mutex;
        std::condition_variable condition;
        bool ready = false;
        std::thread([&] {
            std::unique_lock<std::mutex> lock(mutex);
            answer = 42;
            ready = true;
            std::notify_all_at_thread_exit(condition, std::move(lock));
        }).detach();
        std::unique_lock<std::mutex> lock(mutex);
        condition.wait(lock, [&] { return ready; });
    }
    assert(answer == 42);
}
