// The older __sync builtins.
#include <assert.h>
#include <pthread.h>

static int counter, lock, guarded;

static void *work(void *unused)
{
    __sync_fetch_and_add(&counter, 2);
    if (__sync_bool_compare_and_swap(&lock, 0, 1)) {
        guarded++;
        __sync_lock_release(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_join(thread, 0);
    __sync_synchronize();
    assert(counter == 4 && guarded >= 1 && guarded <= 2);
    assert(__sync_val_compare_and_swap(&counter, 4, 8) == 4 && __sync_sub_and_fetch(&counter, 1) == 7);
    assert(__sync_lock_test_and_set(&lock, 1) == 0);
    return 0;
}
