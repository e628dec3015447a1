// Each round reads another byte of input, and keeps one bit of it, as a number. Nothing depends on the bytes before, so the states are few.
#include <assert.h>
#include <pthread.h>

unsigned char __VERIFIER_nondet_uchar(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int newest;

static void *look(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        assert(newest <= 1);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, look, 0);
    for (;;) {
        pthread_mutex_lock(&lock);
        newest = 0;
        if (__VERIFIER_nondet_uchar() & 1)
            newest = 1;
        pthread_mutex_unlock(&lock);
    }
}
