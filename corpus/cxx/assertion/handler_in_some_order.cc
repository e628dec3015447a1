// Whether the exception comes depends on the order of threads; its handler asserts what does not hold then.
#include <cassert>
#include <mutex>
#include <stdexcept>
#include <thread>

static std::mutex lock;
static bool closed;

static int take()
{
    std::lock_guard<std::mutex> guard(lock);
    if (closed)
        throw std::logic_error("closed");
    return 1;
}

int main()
{
    std::thread other([] {
        std::lock_guard<std::mutex> guard(lock);
        closed = true;
    });
    int got = 0;
    try {
        got = take();
    } catch (const std::logic_error &) {
        assert(got == 1); // expect: assertion
    }
    other.join();
}
