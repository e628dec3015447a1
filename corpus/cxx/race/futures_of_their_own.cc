// Waits for two futures that nobody keeps: who gives up one is not ordered before who gives up the other.
#include <atomic>
#include <chrono>
#include <future>
#include <thread>

using namespace std::chrono_literals;

int main()
{
    int plain = 0;
    std::atomic<bool> given_up{false};
    std::promise<void> mine, yours;
    std::future<void> first = mine.get_future(), second = yours.get_future();
    std::thread early([&] {
        plain = 1; // expect: data-race
        first.wait_for(1ms);
        given_up.store(true, std::memory_order_relaxed);
    });
    std::thread late([&] {
        if (!given_up.load(std::memory_order_relaxed))
            return;
        second.wait_for(1ms);
        plain = 2; // expect: data-race
    });
    early.join();
    late.join();
    return 0;
}
