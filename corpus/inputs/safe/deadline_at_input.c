// A deadline that depends on an input, in its place and in its value: the lock is taken as any other.
#include <pthread.h>
#include <time.h>

unsigned __VERIFIER_nondet_uint(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct timespec deadlines[2] = {{3, 0}, {4, 0}};
static int count;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    deadlines[0].tv_sec = __VERIFIER_nondet_uint();
    pthread_create(&thread, 0, work, 0);
    if (!pthread_mutex_timedlock(&lock, &deadlines[__VERIFIER_nondet_uint() % 2])) {
        count++;
        pthread_mutex_unlock(&lock);
    }
    return 0;
}
