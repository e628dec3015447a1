// words: a x
// Objects that no call initialises, which lie where earlier ones were.
#include <cstdio>
#include <memory>
#include <mutex>
#include <thread>
struct Box {
    std::mutex lock;
    int value = 0;
};
static std::mutex all;
static int total;
static void use(int rounds) {
    for (int i = 0; i < rounds; i++) {
        Box box;
        std::thread other([&] {
            std::lock_guard<std::mutex> hold(box.lock);
            box.value = box.value * 2 + 1;
        });
        {
            std::lock_guard<std::mutex> hold(box.lock);
            box.value = box.value * 2 + 2;
        }
        other.join();
        auto copy = std::make_unique<Box>();
        std::lock_guard<std::mutex> hold(copy->lock), both(all);
        total = total * 10 + box.value;
    }
}
int main(int argc, char **argv) {
    int rounds = argv[1][0] == 'x' ? 2 : 1;
    std::thread first(use, rounds), second(use, 2);
    first.join();
    second.join();
    std::printf("%d\n", total);
}
