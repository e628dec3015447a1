// A pool gives the same memory to locks of different kinds, one after the other.
#include <cassert>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <thread>

alignas(64) static unsigned char memory[64];
static int value;

template <class Lock> static void count_twice()
{
    static_assert(sizeof(Lock) <= sizeof memory);
    Lock *lock = new (memory) Lock;
    auto count = [lock] {
        std::lock_guard<Lock> guard(*lock);
        value++;
    };
    std::thread other(count);
    count();
    other.join();
    lock->~Lock();
}

int main()
{
    count_twice<std::mutex>();
    count_twice<std::shared_mutex>();
    count_twice<std::recursive_mutex>();
    assert(value == 6);
}
