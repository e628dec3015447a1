// true
// Sleeps and clocks.
#include <atomic>
#include <cassert>
#include <chrono>
#include <thread>

using namespace std::chrono_literals;

int main()
{
    std::atomic<int> steps{0};
    std::thread other([&steps] {
        std::this_thread::sleep_for(20ms);
        steps++;
    });
    auto start = std::chrono::steady_clock::now();
    std::this_thread::sleep_until(start + 30ms);
    assert(std::chrono::steady_clock::now() - start >= 30ms);
    auto today = std::chrono::system_clock::now();
    std::this_thread::sleep_until(today + 1ms);
    assert(std::chrono::system_clock::from_time_t(std::chrono::system_clock::to_time_t(today)) <= today);
    int seen = steps;
    assert(seen == 0 || seen == 1);
    other.join();
    assert(steps == 1 && std::thread::hardware_concurrency() > 0);
}
