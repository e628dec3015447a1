// Store buffering: under sequential consistency at least one thread sees the other's store. Three classes: of the four
// ways to order the two pairs, one is a cycle.
// count(dpor)=3
// count(dpor,memory)=3
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int saw_x, saw_y;

static void *other(void *unused)
{
    atomic_store(&y, 1);
    saw_x = atomic_load(&x);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    atomic_store(&x, 1);
    saw_y = atomic_load(&y);
    pthread_join(thread, 0);
    assert(saw_x || saw_y);
    return 0;
}
