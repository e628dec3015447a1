// A thread releases what it owns to a slot; if main has looked before, nobody takes it.
// options: --property memory,leak
#include <memory>
#include <mutex>
#include <thread>

static std::mutex lock;

int main()
{
    int *slot = nullptr;
    std::thread maker([&slot] {
        auto made = std::make_unique<int>(1);
        std::lock_guard<std::mutex> guard(lock);
        slot = made.release();
    });
    int *taken;
    {
        std::lock_guard<std::mutex> guard(lock);
        taken = slot;
    }
    maker.join();
    delete taken;
} // expect-anywhere: memory.leak
