// words: a x
// Mutexes that no call initialises, on the heap and on a stack; inputs decide how often.
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

struct Queue {
    std::mutex mutex;
    std::condition_variable filled;
    std::vector<int> items;
    void put(int item) {
        { std::lock_guard<std::mutex> hold(mutex); items.push_back(item); }
        filled.notify_one();
    }
    int take() {
        std::unique_lock<std::mutex> hold(mutex);
        filled.wait(hold, [&] { return !items.empty(); });
        int item = items.back();
        items.pop_back();
        return item;
    }
};

int main(int argc, char **argv) {
    const int rounds = argc > 1 && argv[1][0] == 'x' ? 2 : 1;
    auto queue = std::make_unique<Queue>();
    std::mutex local;
    int sum = 0;
    std::thread producer([&, rounds] {
        for (int i = 0; i < rounds; i++)
            queue->put(i + 1);
        std::lock_guard<std::mutex> hold(local);
        sum = sum * 3 + 1;
    });
    std::thread consumer([&, rounds] {
        for (int i = 0; i < rounds; i++) {
            int item = queue->take();
            std::lock_guard<std::mutex> hold(local);
            sum = sum * 10 + item;
        }
    });
    producer.join();
    consumer.join();
    std::printf("%d\n", sum);
    return 0;
}
