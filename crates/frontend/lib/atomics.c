// Atomic objects of any size: what the compiler calls for those that no instruction can change. One operation is done after the other, by a lock
// that orders nothing (tables.h), and has its order by atomic accesses to the parts of the object: so other objects are not ordered by it, and a
// relaxed operation orders nothing.
#include <stddef.h>

#include "tables.h"

void __selvedge_unsupported(const char *what);

_Bool is_lock_free(size_t size, const void *object) __asm__("__atomic_is_lock_free");
void load(size_t size, void *object, void *value, int order) __asm__("__atomic_load");
void store(size_t size, void *object, const void *value, int order) __asm__("__atomic_store");
void exchange(size_t size, void *object, const void *value, void *old, int order) __asm__("__atomic_exchange");
_Bool compare_exchange(size_t size, void *object, void *expected, const void *desired, int success, int failure)
    __asm__("__atomic_compare_exchange");

static _Atomic int lock;

// Of 16 bytes it depends on the processor.
_Bool is_lock_free(size_t size, const void *object)
{
    (void)object;
    if (size == 16)
        __selvedge_unsupported("whether an atomic object of 16 bytes is lock-free");
    return size == 1 || size == 2 || size == 4 || size == 8;
}

static void get(size_t size, void *object, unsigned char *value, int order)
{
    for (size_t i = 0; i < size; i++)
        value[i] = __atomic_load_n((unsigned char *)object + i, order);
}

static void swap(size_t size, void *object, const unsigned char *value, unsigned char *old, int order)
{
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = __atomic_exchange_n((unsigned char *)object + i, value[i], order);
        if (old)
            old[i] = byte;
    }
}

void load(size_t size, void *object, void *value, int order)
{
    table_lock(&lock);
    get(size, object, value, order);
    table_unlock(&lock);
}

void store(size_t size, void *object, const void *value, int order)
{
    table_lock(&lock);
    for (size_t i = 0; i < size; i++)
        __atomic_store_n((unsigned char *)object + i, ((const unsigned char *)value)[i], order);
    table_unlock(&lock);
}

void exchange(size_t size, void *object, const void *value, void *old, int order)
{
    table_lock(&lock);
    swap(size, object, value, old, order);
    table_unlock(&lock);
}

_Bool compare_exchange(size_t size, void *object, void *expected, const void *desired, int success, int failure)
{
    table_lock(&lock);
    _Bool equal = 1;
    for (size_t i = 0; i < size && equal; i++)
        equal = __atomic_load_n((unsigned char *)object + i, __ATOMIC_RELAXED) == ((unsigned char *)expected)[i];
    if (equal)
        swap(size, object, desired, 0, success);
    else
        get(size, object, expected, failure);
    table_unlock(&lock);
    return equal;
}
