// true
// A mutex that its owner locks again, and one with time-outs.
#include <cassert>
#include <chrono>
#include <mutex>
#include <thread>

class Account {
    std::recursive_mutex lock;
    int money = 0;

public:
    void add(int much)
    {
        std::lock_guard<std::recursive_mutex> holds(lock);
        money += much;
    }
    void twice(int much)
    {
        std::lock_guard<std::recursive_mutex> holds(lock);
        add(much);
        add(much);
        assert(money % 2 == 0);
    }
    int get()
    {
        std::lock_guard<std::recursive_mutex> holds(lock);
        return money;
    }
};

int main()
{
    Account account;
    std::thread other([&account] { account.twice(1); });
    account.twice(3);
    other.join();
    assert(account.get() == 8);
    std::recursive_timed_mutex timed;
    timed.lock();
    assert(timed.try_lock() && timed.try_lock_for(std::chrono::milliseconds(1)));
    std::thread third([&timed] { assert(!timed.try_lock()); });
    third.join();
    for (int i = 0; i < 3; i++)
        timed.unlock();
}
