// C++20: waiting on atomics, semaphores, latches, barriers, threads that join themselves.
#include <atomic>
#include <barrier>
#include <cstdlib>
#include <latch>
#include <semaphore>
#include <thread>

static int left, right;
static std::atomic<int> ready;
static std::binary_semaphore given(0);
static std::latch both(2);
static std::barrier<> round_(2);

int main()
{
#if HOW == 0
    std::thread other([] {
        left = 1;
        ready.store(1);
        ready.notify_one();
    });
    ready.wait(0);
    if (left != 1)
        abort();
    other.join();
#elif HOW == 1
    std::thread other([] {
        left = 1;
        given.release();
    });
    given.acquire();
    if (left != 1)
        abort();
    other.join();
#elif HOW == 2
    std::thread other([] {
        left = 1;
        both.arrive_and_wait();
        if (right != 1)
            abort();
    });
    right = 1;
    both.arrive_and_wait();
    if (left != 1)
        abort();
    other.join();
#elif HOW == 3
    std::thread other([] {
        left = 1;
        round_.arrive_and_wait();
        if (right != 1)
            abort();
    });
    right = 1;
    round_.arrive_and_wait();
    if (left != 1)
        abort();
    other.join();
#else
    {
        std::jthread other([](std::stop_token token) {
            if (token.stop_requested())
                left++;
            left++;
        });
    }
    if (left < 1)
        abort();
#endif
}
