// Each round has two threads of its own, that end before the next one begins.
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex lock;
static int state;

int main() {
    for (;;) {
        std::thread changes([] {
            std::lock_guard<std::mutex> guard(lock);
            state = 1 - state;
        });
        std::thread looks([] {
            std::lock_guard<std::mutex> guard(lock);
            assert(state == 0 || state == 1);
        });
        changes.join();
        looks.join();
    }
}
