// Sorting may write what is sorted already (C11 7.1.4), and adding to a tree may balance it where the key is there.
// expect-anywhere: data-race
// variant: -DTREE
#include <pthread.h>
#include <search.h>
#include <stdlib.h>

static int numbers[3] = {2, 1, 3};
static void *tree;

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static void *again(void *arg)
{
#ifdef TREE
    tsearch(&numbers[0], &tree, compare);
#else
    qsort(numbers, 3, sizeof *numbers, compare);
#endif
    return arg;
}

int main(void)
{
    pthread_t t;
    for (int i = 0; i < 3; i++)
        tsearch(&numbers[i], &tree, compare);
    qsort(numbers, 3, sizeof *numbers, compare);
    pthread_create(&t, 0, again, 0);
    again(0);
    pthread_join(t, 0);
    return 0;
}
