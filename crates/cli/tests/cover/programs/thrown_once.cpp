// words: a
// The first one that runs the routine leaves it by an exception, so another one runs it again.
#include <cstdio>
#include <mutex>
#include <thread>

static std::once_flag once;
static std::mutex lock;
static int runs, caught;

static void make() {
    if (runs++ == 0)
        throw 1;
}

static void work() {
    try {
        std::call_once(once, make);
    } catch (int) {
        std::lock_guard<std::mutex> hold(lock);
        caught++;
    }
}

int main(int argc, char **argv) {
    std::thread one(work), other(work);
    one.join();
    other.join();
    std::call_once(once, make);
    std::printf("%d %d\n", runs, caught);
    return argc > 2 || argv == nullptr;
}
