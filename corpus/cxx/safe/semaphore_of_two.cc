// Two threads take a unit each, and a third one gives one back. Nobody sleeps: whoever meets the others while it looks, looks again.
// options: --cflags -std=c++20
#include <semaphore>
#include <thread>

static std::counting_semaphore<4> units(2);

int main()
{
    std::thread a([] { units.acquire(); });
    std::thread b([] { units.acquire(); });
    std::thread c([] { units.release(); });
    a.join();
    b.join();
    c.join();
}
