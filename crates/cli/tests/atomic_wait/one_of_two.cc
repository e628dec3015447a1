// Two wait, and only one of them is notified.
#include <atomic>
#include <thread>

static std::atomic<int> go;

int main()
{
    std::thread one([] { go.wait(0); }), two([] { go.wait(0); });
    go.store(1);
    go.notify_one();
    one.join();
    two.join();
}
