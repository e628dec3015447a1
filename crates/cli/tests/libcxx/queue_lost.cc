// false(deadlock)
// Two consumers, and one signal for both items: one of them may wait for ever.
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex lock;
std::condition_variable filled;
int items;

void take()
{
    std::unique_lock<std::mutex> holds(lock);
    while (items == 0)
        filled.wait(holds);
    --items;
}

int main()
{
    std::thread first(take), second(take);
    {
        std::lock_guard<std::mutex> holds(lock);
        items = 2;
        filled.notify_one();
    }
    first.join();
    second.join();
}
