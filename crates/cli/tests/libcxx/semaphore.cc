// true
// Semaphores: one that passes turns, and one that counts; waits that may time out.
#include <cassert>
#include <chrono>
#include <semaphore>
#include <thread>

std::binary_semaphore ping(1), pong(0);
std::counting_semaphore<4> slots(1);
int value;

int main()
{
    std::thread other([] {
        pong.acquire();
        value++;
        ping.release();
    });
    ping.acquire();
    value++;
    pong.release();
    ping.acquire();
    assert(value == 2);
    other.join();

    slots.acquire();
    assert(!slots.try_acquire());
    std::thread giver([] { slots.release(); });
    bool got = slots.try_acquire_for(std::chrono::milliseconds(5));
    giver.join();
    if (!got)
        assert(slots.try_acquire());
    assert(!slots.try_acquire());
}
