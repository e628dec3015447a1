// Each round of a polling loop asks with lambdas that capture its variables by reference. They are
// stored in the lambdas only, which end with the round, so each round is the same state.
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex mutex;
static int turn, turns;

template <class F> static void locked(F &&function)
{
    std::lock_guard<std::mutex> guard(mutex);
    std::forward<F>(function)();
}

static bool try_turn(int mine)
{
    int seen = 0;
    locked([&] { seen = turn; });
    if (seen != mine)
        return false;
    locked([&] {
        assert(turns++ % 2 == mine);
        turn = 1 - seen;
    });
    return true;
}

static void take_turns(int mine)
{
    for (int round = 0; round < 2; round++)
        while (!try_turn(mine))
            std::this_thread::yield();
}

int main()
{
    std::thread thread(take_turns, 1);
    take_turns(0);
    thread.join();
}
