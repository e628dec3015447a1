// false(assertion)
// Forgets that a wait may time out.
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

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
        bool seen = changed.wait_for(holds, std::chrono::seconds(5), [] { return ready; });
        assert(seen);
    }
    setter.join();
}
