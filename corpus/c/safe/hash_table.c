// The hash-table example of Flanagan and Godefroid (POPL 2005): up to 11 threads never meet in a cell; from 12 on, each
// further thread adds collisions. One mutex per cell.
// variant: -DN=2 count(dpor)=1 count(dpor,memory)=1
// variant: -DN=11 without(stateful) count(dpor)=1 count(dpor,memory)=1
// variant: -DN=12 without(stateful) count(dpor)=8 count(dpor,memory)=8
// variant: -DN=13 without(stateful) count(dpor)=64 count(dpor,memory)=64
// variant: -DN=14 only(count) count(dpor)=512
// variant: -DN=15 only(count) count(dpor)=4096
#include <pthread.h>

enum { SIZE = 128, MAX = 4 };

static int table[SIZE];
static pthread_mutex_t locks[SIZE];

static int compare_and_swap(int cell, int expected, int value)
{
    int done = 0;
    pthread_mutex_lock(&locks[cell]);
    if (table[cell] == expected) {
        table[cell] = value;
        done = 1;
    }
    pthread_mutex_unlock(&locks[cell]);
    return done;
}

static void *insert(void *argument)
{
    int tid = *(int *)argument, m = 0;
    while (m < MAX) {
        int key = (++m) * 11 + tid;
        int cell = key * 7 % SIZE;
        while (!compare_and_swap(cell, 0, key))
            cell = (cell + 1) % SIZE;
    }
    return 0;
}

int main(void)
{
    static int numbers[N];
    pthread_t threads[N];
    for (int i = 0; i < SIZE; i++)
        pthread_mutex_init(&locks[i], 0);
    for (int i = 0; i < N; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], 0, insert, &numbers[i]);
    }
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}
