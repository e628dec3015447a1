// A pointer is published with relaxed order: the object behind it is not.
#include <atomic>
#include <thread>

struct Config {
    int level = 0;
};

static Config config;
static std::atomic<Config *> current{nullptr};

int main()
{
    std::thread publisher([] {
        config.level = 3; // expect: data-race
        current.store(&config, std::memory_order_relaxed);
    });
    int level = 0;
    if (Config *now = current.load(std::memory_order_relaxed))
        level = now->level;
    publisher.join();
    return level & 0;
}
