// false(deadlock)
// Two mutexes in both orders.
#include <mutex>
#include <thread>

std::mutex left, right;
int value;

int main()
{
    std::thread other([] {
        std::lock_guard<std::mutex> first(left);
        std::lock_guard<std::mutex> second(right);
        value++;
    });
    {
        std::lock_guard<std::mutex> first(right);
        std::lock_guard<std::mutex> second(left);
        value++;
    }
    other.join();
}
