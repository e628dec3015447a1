// Two threads decide on one input, each by itself, and on an input of its own; what they write is symbolic.
#include <pthread.h>
int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);

static int x, y, z[2];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *one(void *arg) {
    int local = 0;
    if (x > 5) local = 1;
    pthread_mutex_lock(&m);
    y += x + local;
    pthread_mutex_unlock(&m);
    if (x > 3) local += 2;
    switch (x) {
    case 4: case 5: local += 10; break;
    case 6: local += 20; break;
    default: local += 30;
    }
    z[0] = local;
    return 0;
}

static void *two(void *arg) {
    int own = __VERIFIER_nondet_int();
    __VERIFIER_assume(own >= 0 && own < 2);
    int local = own * x;
    if (x > 4) local++;
    pthread_mutex_lock(&m);
    if (own) y *= 2;
    pthread_mutex_unlock(&m);
    z[1] = local;
    return 0;
}

int main(void) {
    pthread_t a, b;
    x = __VERIFIER_nondet_int();
    __VERIFIER_assume(x > 2 && x < 9);
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    if (y > 20) z[0]++;
    return z[0] == z[1];
}
