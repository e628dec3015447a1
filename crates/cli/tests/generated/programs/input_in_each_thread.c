// Each thread has its own inputs, whoever is first.
// same-ways
// cases: 18
#include <pthread.h>
#include <stdio.h>
extern int __VERIFIER_nondet_int(void);

static int results[2];

static void *worker(void *argument) {
    int *result = argument;
    int x = __VERIFIER_nondet_int();
    if (x < 0)
        *result = 1;
    else if (x == 7)
        *result = 2;
    else
        *result = 3;
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    int mine = __VERIFIER_nondet_int();
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, &results[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    if (mine > 100)
        putchar('l');
    else
        putchar('s');
    printf("%d%d\n", results[0], results[1]);
    return 0;
}
