// false(deadlock)
// Nobody notifies.
#include <atomic>
#include <thread>

std::atomic<long> stage;

int main()
{
    std::thread other([] { stage.wait(0); });
    stage.store(1);
    other.join();
}
