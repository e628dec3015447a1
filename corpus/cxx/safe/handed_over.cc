// An exception goes from the thread that throws it to others, by exception_ptr, a promise, a future of async and a task.
// The last who holds it ends its object.
#include <cstdlib>
#include <exception>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
// variant: -DHOW=0
// variant: -DHOW=1
// variant: -DHOW=2
// variant: -DHOW=3
// variant: -DHOW=4

static int alive;

struct Reason : std::runtime_error {
    Reason() : std::runtime_error("reason") { __atomic_add_fetch(&alive, 1, __ATOMIC_RELAXED); }
    Reason(const Reason &other) : std::runtime_error(other) { __atomic_add_fetch(&alive, 1, __ATOMIC_RELAXED); }
    ~Reason() { __atomic_sub_fetch(&alive, 1, __ATOMIC_RELAXED); }
};

static int fails(bool does)
{
    if (does)
        throw Reason();
    return 1;
}

static void expect_reason(std::exception_ptr pointer)
{
    try {
        std::rethrow_exception(pointer);
    } catch (const std::exception &error) {
        if (error.what() != std::string("reason"))
            abort();
        return;
    }
    abort();
}

int main()
{
    {
#if HOW == 0
        std::exception_ptr kept;
        std::thread thread([&kept] {
            try {
                fails(true);
            } catch (...) {
                kept = std::current_exception();
            }
        });
        thread.join();
        std::thread other([kept] { expect_reason(kept); });
        expect_reason(kept);
        kept = nullptr;
        other.join();
#elif HOW == 1
        std::promise<int> promise;
        std::thread thread([&promise] {
            try {
                promise.set_value(fails(true));
            } catch (...) {
                promise.set_exception(std::current_exception());
            }
        });
        try {
            promise.get_future().get();
            abort();
        } catch (const Reason &) {
        }
        thread.join();
#elif HOW == 2
        std::future<int> result = std::async(std::launch::async, fails, true);
        try {
            result.get();
            abort();
        } catch (std::runtime_error &) {
        }
#elif HOW == 3
        std::packaged_task<int(bool)> task(fails);
        std::future<int> result = task.get_future();
        std::thread thread(std::move(task), true);
        try {
            result.get();
            abort();
        } catch (std::runtime_error &) {
        }
        thread.join();
#else
        std::exception_ptr made = std::make_exception_ptr(Reason());
        std::thread thread(expect_reason, made);
        expect_reason(std::move(made));
        thread.join();
        std::future<int> broken;
        {
            std::promise<int> promise;
            broken = promise.get_future();
        }
        try {
            broken.get();
            abort();
        } catch (const std::future_error &error) {
            if (error.code() != std::future_errc::broken_promise)
                abort();
        }
#endif
    }
    if (alive != 0)
        abort();
}
