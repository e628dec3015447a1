// Two threads take turns with the waits of C++20, round after round. Each wait compares local
// variables with memcmp: if they kept their places, no round would come back to a known state.
// options: --cflags -std=c++20
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> turn{0};
int rounds;

static void take_turns(int mine)
{
    for (int round = 0; round < 2; round++) {
        turn.wait(1 - mine);
        assert(rounds == 2 * round + mine);
        rounds++;
        turn.store(1 - mine);
        turn.notify_one();
    }
}

int main()
{
    std::thread thread(take_turns, 1);
    take_turns(0);
    thread.join();
}
