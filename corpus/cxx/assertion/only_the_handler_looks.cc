// What a thread has seen matters to its handler alone: states that differ in that are two.
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex lock;
static int stage;

static int look()
{
    std::lock_guard<std::mutex> guard(lock);
    return stage;
}

static void fail()
{
    std::lock_guard<std::mutex> guard(lock);
    throw 1;
}

static void reader()
{
    int seen = look();
    try {
        fail();
    } catch (int) {
        assert(seen != 1); // expect: assertion
    }
}

static void set(int to)
{
    std::lock_guard<std::mutex> guard(lock);
    stage = to;
}

int main()
{
    std::thread thread(reader);
    set(1);
    set(0);
    thread.join();
}
