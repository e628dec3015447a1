// The lock is left out for one input.
#include <pthread.h>

int __VERIFIER_nondet_int(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shared, careless;

static void *count(void *unused)
{
    if (careless) {
        shared++; // expect: data-race
    } else {
        pthread_mutex_lock(&lock);
        shared++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    int x = __VERIFIER_nondet_int();
    careless = x * 3 == 51;
    pthread_t a, b;
    pthread_create(&a, 0, count, 0);
    pthread_create(&b, 0, count, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
