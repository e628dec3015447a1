// words: a x
// Threads of C++ with a mutex, a condition variable and a read-write lock in global variables, a wait with a deadline, a
// routine that runs once.
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable turned, never;
static std::shared_mutex table_lock;
static std::once_flag once;
static int turns, table, made;

static void make() { made++; }

static void turn(int wanted) {
    std::call_once(once, make);
    std::unique_lock<std::mutex> hold(lock);
    while (turns < wanted)
        turned.wait(hold);
    turns++;
    hold.unlock();
    turned.notify_all();
    std::unique_lock<std::shared_mutex> writes(table_lock);
    table = table * 10 + wanted + 1;
}

int main(int argc, char **argv) {
    const bool swapped = argc > 1 && argv[1][0] == 'x';
    std::thread one(turn, swapped ? 1 : 0), other(turn, swapped ? 0 : 1);
    {
        std::shared_lock<std::shared_mutex> reads(table_lock);
        std::printf("%d ", table);
    }
    {
        std::unique_lock<std::mutex> hold(lock);
        bool came = never.wait_for(hold, std::chrono::milliseconds(1), [] { return turns > 5; });
        std::printf("%d ", came);
    }
    one.join();
    other.join();
    std::printf("%d %d %d\n", turns, table, made);
    return 0;
}
