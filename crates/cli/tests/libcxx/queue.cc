// true
// A queue with a condition variable.
#include <cassert>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

class Queue {
    std::mutex lock;
    std::condition_variable filled;
    std::deque<int> items;

public:
    void put(int item)
    {
        {
            std::lock_guard<std::mutex> holds(lock);
            items.push_back(item);
        }
        filled.notify_one();
    }

    int take()
    {
        std::unique_lock<std::mutex> holds(lock);
        filled.wait(holds, [this] { return !items.empty(); });
        int item = items.front();
        items.pop_front();
        return item;
    }
};

int main()
{
    Queue queue;
    std::thread producer([&] {
        for (int i = 1; i <= 2; i++)
            queue.put(i);
    });
    int sum = queue.take();
    sum += queue.take();
    producer.join();
    assert(sum == 3);
}
