// <threads.h>: cnd_t, call_once, tss_t with its destructor.
#include <assert.h>
#include <threads.h>

static once_flag once = ONCE_FLAG_INIT;
static mtx_t lock;
static cnd_t changed;
static tss_t slot;
static int ready, destroyed;

static void destroy(void *unused)
{
    (void)unused;
    destroyed++;
}

static void initialise(void)
{
    mtx_init(&lock, mtx_plain);
    cnd_init(&changed);
    tss_create(&slot, destroy);
}

static int producer(void *unused)
{
    call_once(&once, initialise);
    tss_set(slot, &ready);
    mtx_lock(&lock);
    ready = 1;
    cnd_signal(&changed);
    mtx_unlock(&lock);
    assert(tss_get(slot) == &ready);
    return unused != 0;
}

int main(void)
{
    thrd_t thread;
    thrd_create(&thread, producer, 0);
    call_once(&once, initialise);
    mtx_lock(&lock);
    while (!ready)
        cnd_wait(&changed, &lock);
    mtx_unlock(&lock);
    thrd_join(thread, 0);
    assert(destroyed == 1 && tss_get(slot) == 0);
    return 0;
}
