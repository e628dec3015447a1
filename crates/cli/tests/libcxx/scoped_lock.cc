// true
// Two mutexes that are locked together.
#include <cassert>
#include <mutex>
#include <thread>

std::mutex left, right;
int value;

int main()
{
    std::thread other([] {
        std::scoped_lock both(left, right);
        value++;
    });
    {
        std::scoped_lock both(right, left);
        value++;
    }
    other.join();
    assert(value == 2);
}
