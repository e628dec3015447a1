// true
// Readers and a writer.
#include <cassert>
#include <mutex>
#include <shared_mutex>
#include <thread>

std::shared_mutex lock;
int first, second;

void read()
{
    std::shared_lock<std::shared_mutex> holds(lock);
    assert(first == second);
}

int main()
{
    std::thread reader(read), other(read);
    {
        std::unique_lock<std::shared_mutex> holds(lock);
        first++;
        second++;
        assert(!lock.try_lock_shared() || !"shared with a writer");
    }
    reader.join();
    other.join();
    std::shared_lock<std::shared_mutex> holds(lock, std::try_to_lock);
    assert(holds.owns_lock() && first == 1);
}
