// A coroutine holds a lock while it is suspended, and nobody resumes it.
// options: --cflags -std=c++20
#include <coroutine>
#include <mutex>
#include <thread>

struct Lazy {
    struct promise_type {
        Lazy get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() {}
    };
    std::coroutine_handle<promise_type> handle;
};

static std::mutex lock;

static Lazy works()
{
    std::lock_guard<std::mutex> guard(lock);
    co_await std::suspend_always{};
}

int main()
{
    Lazy lazy = works();
    std::thread other([] { lock.lock(); lock.unlock(); });
    other.join(); // expect: deadlock
    lazy.handle.resume();
    lazy.handle.destroy();
    return 0;
}
