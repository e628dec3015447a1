// Atomic objects of any size: what the compiler calls for those that no instruction can change. libatomic takes a lock for them, so one operation
// happens before the next one of the same object, whatever order was asked for. Here there is one lock for all.
#include <pthread.h>
#include <stddef.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void __selvedge_unsupported(const char *what);

_Bool is_lock_free(size_t size, const void *object) __asm__("__atomic_is_lock_free");
void load(size_t size, const void *object, void *value, int order) __asm__("__atomic_load");
void store(size_t size, void *object, const void *value, int order) __asm__("__atomic_store");
void exchange(size_t size, void *object, const void *value, void *old, int order) __asm__("__atomic_exchange");
_Bool compare_exchange(size_t size, void *object, void *expected, const void *desired, int success, int failure)
    __asm__("__atomic_compare_exchange");

// Of 16 bytes it depends on the processor.
_Bool is_lock_free(size_t size, const void *object)
{
    (void)object;
    if (size == 16)
        __selvedge_unsupported("whether an atomic object of 16 bytes is lock-free");
    return size == 1 || size == 2 || size == 4 || size == 8;
}

void load(size_t size, const void *object, void *value, int order)
{
    (void)order;
    pthread_mutex_lock(&lock);
    memcpy(value, object, size);
    pthread_mutex_unlock(&lock);
}

void store(size_t size, void *object, const void *value, int order)
{
    (void)order;
    pthread_mutex_lock(&lock);
    memcpy(object, value, size);
    pthread_mutex_unlock(&lock);
}

void exchange(size_t size, void *object, const void *value, void *old, int order)
{
    (void)order;
    pthread_mutex_lock(&lock);
    memcpy(old, object, size);
    memcpy(object, value, size);
    pthread_mutex_unlock(&lock);
}

_Bool compare_exchange(size_t size, void *object, void *expected, const void *desired, int success, int failure)
{
    (void)success;
    (void)failure;
    pthread_mutex_lock(&lock);
    _Bool equal = memcmp(object, expected, size) == 0;
    if (equal)
        memcpy(object, desired, size);
    else
        memcpy(expected, object, size);
    pthread_mutex_unlock(&lock);
    return equal;
}
