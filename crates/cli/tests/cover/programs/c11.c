// words: a x
// C11 threads: what a thread returns, a recursive mutex, a lock and a wait with a deadline, once, and thread-specific data.
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>
static mtx_t m, held;
static cnd_t c;
static once_flag once = ONCE_FLAG_INIT;
static tss_t key;
static int begun, ready, freed;

static void begin(void) {
    begun++;
}

static void release(void *p) {
    mtx_lock(&m);
    freed += *(int *)p;
    mtx_unlock(&m);
    free(p);
}

static struct timespec soon(void) {
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    t.tv_nsec += 2000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_nsec -= 1000000000;
        t.tv_sec++;
    }
    return t;
}

static int works(void *arg) {
    struct timespec t = soon();
    int *mine = malloc(sizeof *mine), late = 0;
    *mine = 7;
    tss_set(key, mine);
    call_once(&once, begin);
    if (mtx_timedlock(&held, &t) != thrd_timedout || mtx_trylock(&held) != thrd_busy)
        return 1;
    mtx_lock(&m);
    mtx_lock(&m);
    mtx_unlock(&m);
    while (!ready && !late)
        late = cnd_timedwait(&c, &m, &t) == thrd_timedout;
    mtx_unlock(&m);
    if (*(char *)arg == 'x')
        thrd_exit(-5 - late);
    return -3 - late;
}

int main(int argc, char **argv) {
    thrd_t t;
    int result = 0;
    if (argc < 2)
        return 1;
    mtx_init(&m, mtx_plain | mtx_recursive);
    mtx_init(&held, mtx_timed);
    cnd_init(&c);
    tss_create(&key, release);
    mtx_lock(&held);
    thrd_create(&t, works, argv[1]);
    call_once(&once, begin);
    if (argv[1][0] == 'x') {
        mtx_lock(&m);
        ready = 1;
        mtx_unlock(&m);
        cnd_signal(&c);
    }
    thrd_join(t, &result);
    mtx_unlock(&held);
    cnd_destroy(&c);
    mtx_destroy(&m);
    mtx_destroy(&held);
    printf("%d %d %d\n", result, begun, freed);
    return freed != 7 || begun != 1 || result != (argv[1][0] == 'x' ? -5 : -4);
}
