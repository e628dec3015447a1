// Two std::lock_guard in opposite orders, hidden in a member function.
#include <mutex>
#include <thread>

struct Account {
    std::mutex lock;
    int balance = 10;

    void transfer(Account &to, int amount)
    {
        std::lock_guard<std::mutex> mine(lock);
        std::lock_guard<std::mutex> theirs(to.lock);
        balance -= amount;
        to.balance += amount;
    }
};

// expect-anywhere: deadlock
int main()
{
    Account a, b;
    std::thread other([&] { b.transfer(a, 1); });
    a.transfer(b, 2);
    other.join();
}
