// A coroutine is suspended by one thread and resumed by another, with a lock between the two; an
// exception passes through one that awaits another.
// options: --cflags -std=c++20
#include <cassert>
#include <coroutine>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

static std::mutex lock;
static std::coroutine_handle<> ready;

// Suspends the coroutine until somebody takes it from `ready`.
struct Elsewhere {
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> handle) const
    {
        std::lock_guard<std::mutex> guard(lock);
        ready = handle;
    }
    void await_resume() const noexcept {}
};

struct Task {
    struct promise_type {
        std::coroutine_handle<> waiting = std::noop_coroutine();
        std::exception_ptr error;
        int value = 0;
        Task get_return_object() { return Task(std::coroutine_handle<promise_type>::from_promise(*this)); }
        std::suspend_always initial_suspend() noexcept { return {}; }
        struct Final {
            bool await_ready() const noexcept { return false; }
            std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> done) const noexcept
            {
                return done.promise().waiting;
            }
            void await_resume() const noexcept {}
        };
        Final final_suspend() noexcept { return {}; }
        void return_value(int number) { value = number; }
        void unhandled_exception() { error = std::current_exception(); }
    };
    explicit Task(std::coroutine_handle<promise_type> handle) : handle(handle) {}
    Task(Task &&other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
    ~Task()
    {
        if (handle)
            handle.destroy();
    }
    bool await_ready() const noexcept { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiting) const
    {
        handle.promise().waiting = waiting;
        return handle;
    }
    int await_resume() const
    {
        if (handle.promise().error)
            std::rethrow_exception(handle.promise().error);
        return handle.promise().value;
    }
    std::coroutine_handle<promise_type> handle;
};

static Task refuses(int number)
{
    co_await Elsewhere{};
    if (number > 1)
        throw std::runtime_error("too many");
    co_return number;
}

static Task adds(int &sum)
{
    sum += co_await refuses(1);
    try {
        sum += co_await refuses(2);
    } catch (const std::runtime_error &) {
        sum += 10;
    }
    co_return sum;
}

static void resume_one()
{
    std::coroutine_handle<> next;
    {
        std::lock_guard<std::mutex> guard(lock);
        next = std::exchange(ready, nullptr);
    }
    if (next)
        next.resume();
}

int main()
{
    int sum = 0;
    Task task = adds(sum);
    task.handle.resume();
    std::thread other(resume_one);
    other.join();
    assert(sum == 1);
    resume_one();
    assert(task.handle.done() && sum == 11 && task.handle.promise().value == 11);
    return 0;
}
