// The handler runs when the guard is gone.
#include <mutex>
#include <stdexcept>
#include <thread>

static std::mutex lock;
static int failures;

static void attempt()
{
    try {
        std::lock_guard<std::mutex> guard(lock);
        failures++; // expect: data-race
        throw std::runtime_error("always");
    } catch (const std::exception &) {
        failures++; // expect: data-race
    }
}

int main()
{
    std::thread one(attempt), two(attempt);
    one.join();
    two.join();
}
