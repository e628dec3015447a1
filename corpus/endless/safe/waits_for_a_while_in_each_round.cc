// Each round of a loop waits for some time with the library's functions, which ask the clock whether it is over.
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex mutex;
std::condition_variable condition;
bool done;

int main()
{
    std::thread thread([] {
        std::lock_guard<std::mutex> guard(mutex);
        done = true;
        condition.notify_one();
    });
    {
        std::unique_lock<std::mutex> guard(mutex);
        while (!done) {
            auto start = std::chrono::steady_clock::now();
            auto status = condition.wait_for(guard, std::chrono::milliseconds(1500));
            auto taken = std::chrono::steady_clock::now() - start;
            assert(status == std::cv_status::no_timeout || taken >= std::chrono::milliseconds(1500));
        }
    }
    thread.join();
}
