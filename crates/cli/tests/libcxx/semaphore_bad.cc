// false(assertion)
// Forgets that a wait for a semaphore may time out.
#include <cassert>
#include <chrono>
#include <semaphore>
#include <thread>

std::counting_semaphore<4> slots(0);

int main()
{
    std::thread giver([] { slots.release(); });
    bool got = slots.try_acquire_for(std::chrono::milliseconds(5));
    giver.join();
    assert(got);
}
