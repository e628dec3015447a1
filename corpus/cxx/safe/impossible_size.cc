// An operator new throws if no object of the size can exist; with nothrow it returns a null pointer.
#include <cassert>
#include <new>
#include <thread>

static volatile long count = -1;

template <class T> static bool throws()
{
    try {
        delete[] new T[count];
        return false;
    } catch (const std::bad_alloc &) {
        return true;
    }
}

int main()
{
    bool thrown = false;
    std::thread other([&] { thrown = throws<int>() && throws<long double>(); });
    other.join();
    assert(thrown);
    assert(!new (std::nothrow) int[count]);
}
