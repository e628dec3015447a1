// <threads.h>: a plain mtx_t locked twice, by the address that a function returns.
#include <threads.h>

static mtx_t locks[2];

static mtx_t *lock_of(int key)
{
    return &locks[key % 2];
}

int main(void)
{
    mtx_init(lock_of(0), mtx_plain);
    mtx_init(lock_of(1), mtx_plain);
    mtx_lock(lock_of(3));
    mtx_lock(lock_of(5)); // expect: deadlock
    return 0;
}
