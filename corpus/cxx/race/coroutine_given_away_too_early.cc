// Who has given a coroutine away in await_suspend must not touch its frame any more.
// options: --cflags -std=c++20
#include <coroutine>
#include <thread>

struct Detached {
    struct promise_type {
        Detached get_return_object() { return {}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() {}
    };
};

static std::thread other;

struct Elsewhere {
    int suspended = 0;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> handle)
    {
        other = std::thread([handle] { handle.resume(); });
        suspended = 1; // expect: data-race, memory.use-after-free
    }
    int await_resume() const noexcept { return suspended; } // expect: data-race
};

static Detached runs() // expect: data-race, memory.use-after-free
{
    co_await Elsewhere{};
}

int main()
{
    runs();
    other.join();
    return 0;
}
