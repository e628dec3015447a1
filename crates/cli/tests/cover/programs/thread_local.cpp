// words: a x
// Destructors of objects of a thread, which take a lock; those of the main thread run when the process ends.
#include <cstdio>
#include <mutex>
#include <thread>

static std::mutex m;
static std::timed_mutex late;
static int made, gone;

struct Kept {
    int number = 0;
    Kept() {
        std::lock_guard<std::mutex> lock(m);
        number = ++made;
    }
    ~Kept() {
        std::lock_guard<std::mutex> lock(m);
        gone += number;
        std::printf("%d %d\n", number, gone);
    }
};

static thread_local Kept kept;

int main(int argc, char **argv) {
    if (argc > 1 && argv[1][0] == 'x')
        kept.number += 10;
    std::lock_guard<std::timed_mutex> lock(late);
    std::thread t([] {
        kept.number += 20;
        if (late.try_lock_for(std::chrono::milliseconds(2)))
            kept.number += 100;
    });
    t.join();
    return 0;
}
