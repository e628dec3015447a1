// std::atomic_load and its kin for std::shared_ptr (bits/shared_ptr_atomic.h): the locks that libstdc++ keeps out of headers.
//
// There are a few locks, and the address of the pointer chooses one. libstdc++ lets several pointers share a lock. Here a lock is for one
// pointer only: a shared one would order what the program does not order.
#include <memory>
#include <pthread.h>
#include <stdint.h>

extern "C" void __selvedge_unsupported(const char *);

namespace std {

enum { LOCKS = 64 };

static struct {
    pthread_mutex_t lock;
    const void *of;
} locks[LOCKS];

static unsigned char place(const void *pointer)
{
    return reinterpret_cast<uintptr_t>(pointer) / sizeof(shared_ptr<void>) % LOCKS;
}

static void shared()
{
    __selvedge_unsupported("std::atomic_load and its kin for so many std::shared_ptr that two share a lock");
}

static void take(unsigned char place, const void *pointer)
{
    pthread_mutex_lock(&locks[place].lock);
    if (locks[place].of && locks[place].of != pointer)
        shared();
    locks[place].of = pointer;
}

_Sp_locker::_Sp_locker(const void *pointer) noexcept : _M_key1(place(pointer)), _M_key2(_M_key1)
{
    take(_M_key1, pointer);
}

// In the order of the places, as each thread takes them.
_Sp_locker::_Sp_locker(const void *one, const void *other) noexcept : _M_key1(place(one)), _M_key2(place(other))
{
    if (_M_key2 < _M_key1)
        take(_M_key2, other);
    take(_M_key1, one);
    if (_M_key2 > _M_key1)
        take(_M_key2, other);
    if (_M_key2 == _M_key1 && one != other)
        shared();
}

_Sp_locker::~_Sp_locker()
{
    pthread_mutex_unlock(&locks[_M_key1].lock);
    if (_M_key2 != _M_key1)
        pthread_mutex_unlock(&locks[_M_key2].lock);
}

} // namespace std
