// std::thread with a lambda, std::mutex with std::lock_guard.
#include <cassert>
#include <mutex>
#include <thread>

int main()
{
    std::mutex lock;
    int counter = 0;
    auto add = [&](int amount) {
        std::lock_guard<std::mutex> guard(lock);
        counter += amount;
    };
    std::thread a(add, 1), b(add, 2);
    a.join();
    b.join();
    assert(counter == 3);
}
