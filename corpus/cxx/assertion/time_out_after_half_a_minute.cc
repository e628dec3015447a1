// A wait may time out, however long its time is, and the clock agrees.
// variant: -DWAIT=1
// variant: -DWAIT=2
// variant: -DWAIT=3
// variant: -DWAIT=4
// variant: -DWAIT=5 --cflags -std=c++20
// variant: -DWAIT=6 --cflags -std=c++20
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <future>
#include <mutex>
#include <thread>
#if __cplusplus > 201703L
#include <semaphore>
#endif

using namespace std::chrono_literals;

int main()
{
    std::mutex lock;
    std::condition_variable changed;
    std::condition_variable_any any;
    std::thread other([&] {
        std::lock_guard<std::mutex> guard(lock);
        changed.notify_one();
        any.notify_one();
    });
    auto begin = std::chrono::steady_clock::now();
    bool late = false;
    {
        std::unique_lock<std::mutex> held(lock);
#if WAIT == 1
        late = changed.wait_for(held, 30s) == std::cv_status::timeout;
#elif WAIT == 2
        late = changed.wait_until(held, std::chrono::system_clock::now() + 30s) == std::cv_status::timeout;
#elif WAIT == 3
        late = any.wait_for(held, 30s) == std::cv_status::timeout;
#elif WAIT == 4
        late = !changed.wait_for(held, 30s, [] { return false; });
#elif WAIT == 5
        std::counting_semaphore<3> none(0);
        late = !none.try_acquire_for(30s);
#else
        std::promise<int> promise;
        late = promise.get_future().wait_for(30s) == std::future_status::timeout;
#endif
    }
    if (late && std::chrono::steady_clock::now() - begin >= 30s)
        abort(); // expect: assertion.abort
    other.join();
    return 0;
}
