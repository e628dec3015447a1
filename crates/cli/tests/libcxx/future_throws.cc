// true
// Exceptions that pass through futures; a promise that is broken; what futures throw themselves.
#include <cassert>
#include <cstring>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>

struct Mine {
    int number;
};

int main()
{
    std::future<int> bad = std::async(std::launch::async, []() -> int { throw std::out_of_range("too far"); });
    try {
        bad.get();
        assert(false);
    } catch (const std::out_of_range &error) {
        assert(!strcmp(error.what(), "too far"));
    }

    std::promise<void> promise;
    std::future<void> future = promise.get_future();
    std::thread thrower([own = std::move(promise)]() mutable { own.set_exception(std::make_exception_ptr(Mine{4})); });
    try {
        future.get();
        assert(false);
    } catch (const Mine &mine) {
        assert(mine.number == 4);
    }
    thrower.join();

    std::future<int> broken;
    {
        std::promise<int> never;
        broken = never.get_future();
        try {
            (void)never.get_future();
            assert(false);
        } catch (const std::future_error &error) {
            assert(error.code() == std::future_errc::future_already_retrieved);
        }
    }
    try {
        broken.get();
        assert(false);
    } catch (const std::future_error &error) {
        assert(error.code() == std::make_error_code(std::future_errc::broken_promise));
        assert(std::string(error.what()).find("promise") != std::string::npos);
    }
}
