// exchange hands the token to one thread; a load and a store hand it to two.
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> token{1};
static std::atomic<int> owners{0};

static void claim()
{
    if (token.load() == 1) {
        token.store(0);
        owners++;
    }
}

int main()
{
    std::thread other(claim);
    claim();
    other.join();
    assert(owners == 1); // expect: assertion
}
