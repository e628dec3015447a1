// What the reader saw first is read again only behind the second return of setjmp: two states that differ in nothing else.
// variant: -DSEEN=0
// variant: -DSEEN=1
// variant: -DSEEN=2
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>

static atomic_int level;

static void *writer(void *unused)
{
    atomic_store(&level, 1);
    atomic_store(&level, 2);
    return unused;
}

static void *reader(void *other)
{
    jmp_buf back;
    int seen = atomic_load(&level);
    if (setjmp(back) == 0) {
        pthread_join(*(pthread_t *)other, 0);
        atomic_store(&level, 7);
        longjmp(back, 1);
    }
    assert(seen != SEEN); // expect: assertion
    return 0;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, 0, writer, 0);
    pthread_create(&second, 0, reader, &first);
    pthread_join(second, 0);
    return 0;
}
