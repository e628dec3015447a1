// Figure 6 of Kusano and Wang: one thread adds to the first six numbers of an array, the other one to the number that
// its input names.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);

static int array[12];

static void *work(void *unused)
{
    for (int i = 0; i < 6; i++)
        array[i] = array[i] + 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    int at = __VERIFIER_nondet_int();
    __VERIFIER_assume(at >= 0 && at < 12);
    pthread_create(&thread, 0, work, 0);
    array[at] = array[at] + 1;
    pthread_join(thread, 0);
    return 0;
}
