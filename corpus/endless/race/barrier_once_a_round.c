// A barrier of one's own with one wait a round: who is fast writes the next round's value while the other one still reads.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int waiting, sense;
static int cells[2];

static void wait(int *mine)
{
    *mine = !*mine;
    if (atomic_fetch_add(&waiting, 1) == 1) {
        atomic_store(&waiting, 0);
        atomic_store(&sense, *mine);
    } else {
        while (atomic_load(&sense) != *mine) {
        }
    }
}

static void *go(void *arg)
{
    int me = arg != 0, mine = 0, value = 0;
    for (;;) {
        value = !value;
        cells[me] = value; // expect: data-race
        wait(&mine);
        assert(cells[!me] == value); // expect: data-race, assertion
    }
    return arg;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, 0, go, &sense);
    go(0);
    return 0;
}
