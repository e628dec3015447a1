// The consumer looks whether there is something before it takes the lock.
// expect-anywhere: data-race
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
        for (int i = 0; i < 1; i++) {
            std::lock_guard<std::mutex> guard(lock);
            queue.push("a text that is too long to lie in the object, number " + std::to_string(i));
            filled.notify_one();
        }
    });
    std::thread consumer([] {
        for (int i = 0; i < 1; i++) {
            bool nothing = queue.empty();
            std::unique_lock<std::mutex> guard(lock);
            if (nothing)
                filled.wait(guard, [] { return !queue.empty(); });
            done[i] = queue.front();
            queue.pop();
        }
    });
    producer.join();
    consumer.join();
    assert(done.size() == 1 && done[0].back() == '0');
    return 0;
}
