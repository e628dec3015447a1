// An exception goes past the call that would give the lock back.
// expect-anywhere: deadlock
#include <mutex>
#include <stdexcept>
#include <thread>

static std::mutex lock;
static int value;

static void change(int by)
{
    lock.lock();
    value += by;
    if (value > 1)
        throw std::overflow_error("too much");
    lock.unlock();
}

static void body()
{
    try {
        change(1);
    } catch (const std::overflow_error &) {
    }
}

int main()
{
    std::thread one(body), two(body), three(body);
    one.join();
    two.join();
    three.join();
}
