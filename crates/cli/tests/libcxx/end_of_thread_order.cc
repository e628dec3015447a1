// false(assertion)
// At the end of a thread all conditions are notified first, and then all states become ready.
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>
#include <cassert>
std::mutex m;
std::condition_variable c;
bool done;
int main() {
    std::promise<int> p;
    auto f = p.get_future();
    std::thread t([&] {
        p.set_value_at_thread_exit(1);
        std::unique_lock<std::mutex> l(m);
        done = true;
        std::notify_all_at_thread_exit(c, std::move(l));
    });
    {
        std::unique_lock<std::mutex> l(m);
        if (done) {
            // The mutex is free before the future is ready.
            assert(f.wait_for(std::chrono::seconds(0)) == std::future_status::ready);
        }
    }
    t.join();
}
