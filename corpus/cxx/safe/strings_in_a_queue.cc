// Texts travel through a queue under a mutex: which thread frees their memory depends on the schedule.
#include <cassert>
#include <condition_variable>
#include <map>
#include <mutex>
#include <queue>
#include <string>
#include <thread>

static std::mutex lock;
static std::condition_variable filled;
static std::queue<std::string> queue;
static std::map<int, std::string> done;

int main()
{
    std::thread producer([] {
        for (int i = 0; i < 2; i++) {
            std::lock_guard<std::mutex> guard(lock);
            queue.push("a text that is too long to lie in the object, number " + std::to_string(i));
            filled.notify_one();
        }
    });
    std::thread consumer([] {
        for (int i = 0; i < 2; i++) {
            std::unique_lock<std::mutex> guard(lock);
            filled.wait(guard, [] { return !queue.empty(); });
            done[i] = queue.front();
            queue.pop();
        }
    });
    producer.join();
    consumer.join();
    assert(done.size() == 2 && done[1].back() == '1' && queue.empty());
    return 0;
}
