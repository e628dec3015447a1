// Two threads take turns with std::condition_variable_any, which stores the address of the lock in
// a variable of its own while it waits.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable_any changed;
static int turn, turns;

static void take_turns(int mine)
{
    for (int round = 0; round < 2; round++) {
        std::unique_lock<std::mutex> lock(mutex);
        while (turn != mine)
            changed.wait(lock);
        assert(turns++ == 2 * round + mine);
        turn = 1 - mine;
        changed.notify_all();
    }
}

int main()
{
    std::thread thread(take_turns, 1);
    take_turns(0);
    thread.join();
}
