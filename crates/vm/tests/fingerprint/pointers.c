// Symbolic indexes, pointers and numbers that must be settled, in two threads.
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
unsigned __VERIFIER_nondet_uint(void);
void __VERIFIER_assume(int);

static unsigned i;
static char table[4] = {3, 1, 2, 0};
static int seen[4], other;
static sem_t s;

static void *one(void *arg) {
    int got = table[i & 3];
    sem_post(&s);
    seen[i & 1] = got;
    int *p = i & 2 ? &seen[2] : &other;
    *p = 7;
    sem_post(&s);
    return 0;
}

static void *two(void *arg) {
    sem_post(&s);
    char copy[4];
    memset(copy, 1, sizeof copy);
    memcpy(copy, table, i & 1);
    sem_wait(&s);
    return (void *)(long)copy[0];
}

int main(void) {
    pthread_t a, b;
    i = __VERIFIER_nondet_uint();
    sem_init(&s, 0, 0);
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    void *r;
    pthread_join(a, 0);
    pthread_join(b, &r);
    return (int)(long)r;
}
