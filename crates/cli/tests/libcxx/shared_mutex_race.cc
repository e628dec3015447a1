// false(data-race)
// Writes with a lock for readers.
#include <mutex>
#include <shared_mutex>
#include <thread>

std::shared_mutex lock;
int value;

void write()
{
    std::shared_lock<std::shared_mutex> holds(lock);
    value++;
}

int main()
{
    std::thread first(write), second(write);
    first.join();
    second.join();
}
