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

// Its first initialisation throws if the input says so; who comes next tries again.
class Picky {
    static inline int tries = 0;

public:
    explicit Picky(bool throws) {
        if (tries++ == 0 && throws)
            throw 7;
    }
    static int get(bool throws) {
        static Picky picky(throws);
        return 1;
    }
    static int count() { return tries; }
};

int main(int argc, char **argv) {
    const bool again = argc > 1 && argv[1][0] == 'x';
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back([again, i] {
            Registry::get().add(i);
            try {
                Picky::get(again);
            } catch (int thrown) {
                Registry::get().add(100 + thrown);
            }
            if (again)
                Registry::get().add(10 + i);
        });
    for (auto &thread : threads)
        thread.join();
    std::printf("%ld %d\n", Registry::get().sum(), Picky::count());
}
