// A coroutine keeps a reference to an argument that is gone when it is resumed.
// options: --cflags -std=c++20
#include <coroutine>
#include <thread>

struct Lazy {
    struct promise_type {
        Lazy get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() {}
    };
    std::coroutine_handle<promise_type> handle;
};

static Lazy counts(const int &from)
{
    volatile int sum = from; // expect: memory.use-after-scope
    (void)sum;
    co_return;
}

static Lazy begin()
{
    int number = 3;
    return counts(number);
}

int main()
{
    Lazy lazy = begin();
    std::thread other([=] { lazy.handle.resume(); });
    other.join();
    lazy.handle.destroy();
    return 0;
}
