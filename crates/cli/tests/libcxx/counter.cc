// true
// A counter under a mutex.
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

std::mutex lock;
int count;

void add(int much)
{
    for (int i = 0; i < 2; i++) {
        std::lock_guard<std::mutex> holds(lock);
        count += much;
    }
}

int main()
{
    std::vector<std::thread> threads;
    for (int i = 1; i <= 2; i++)
        threads.emplace_back(add, i);
    for (std::thread &thread : threads)
        thread.join();
    assert(count == 6);
}
