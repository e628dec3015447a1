// words: a x
// A local static variable that several threads use: who comes first initialises it.
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

class Registry {
    std::mutex mutex;
    std::vector<int> items;

public:
    static Registry &get() {
        static Registry registry;
        return registry;
    }
    void add(int item) {
        std::lock_guard<std::mutex> hold(mutex);
        items.push_back(item);
    }
    long sum() {
        std::lock_guard<std::mutex> hold(mutex);
        long sum = 0;
        for (int item : items)
            sum = sum * 7 + item;
        return sum;
    }
};

int main(int argc, char **argv) {
    const bool again = argc > 1 && argv[1][0] == 'x';
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back([again, i] {
            Registry::get().add(i);
            if (again)
                Registry::get().add(10 + i);
        });
    for (auto &thread : threads)
        thread.join();
    std::printf("%ld\n", Registry::get().sum());
}
