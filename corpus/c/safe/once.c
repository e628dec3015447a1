// The routine runs once, and everybody who returns from pthread_once sees its effect.
#include <assert.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int runs, value;

static void initialise(void)
{
    runs++;
    value = 7;
}

static void *use(void *unused)
{
    pthread_once(&once, initialise);
    assert(value == 7 && runs == 1);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, use, 0);
    pthread_create(&b, 0, use, 0);
    use(0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
