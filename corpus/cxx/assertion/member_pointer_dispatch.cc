// Which method runs depends on a pointer to member that another thread changes.
#include <atomic>
#include <cassert>
#include <thread>

struct Machine {
    int on() { return 1; }
    int off() { return 0; }
};

static std::atomic<int> mode{0};

int main()
{
    std::thread other([] { mode = 1; });
    Machine machine;
    int (Machine::*method)() = mode ? &Machine::off : &Machine::on;
    assert((machine.*method)() == 1); // expect: assertion
    other.join();
}
