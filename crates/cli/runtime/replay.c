/* Runs a native program on the schedule of a finding: `selvedge replay --native`. Tables come before this text: `order` has
   for each step of the schedule its thread and what it does.

   The program is linked with --wrap for each function below. A call waits until all steps before its own are done, does
   the real operation, which is possible then, and counts itself. When the schedule is over, everything runs freely: what is wrong
   must show by itself. This file is compiled without sanitizers, and waits by system calls that they do not see, so that the
   order of the schedule hides no data race from them. Accesses to memory that may be steps have a call of `__selvedge_site`
   before them and one of `__selvedge_site_done` behind (crates/instrument/src/sites.rs). */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

enum { DEVIATION = 120, STUCK = 121, SECONDS = 2, PATIENCE = 10, MOST_THREADS = 256 };

struct step {
    unsigned thread;   /* index in thread_names */
    const char *what;  /* the operation, as wrappers name it */
    int failed;        /* a try that fails, a wait that times out */
};

/* The tables. */
extern const struct step selvedge_order[];
extern const unsigned selvedge_steps;
extern const char *const selvedge_names[];
extern const unsigned selvedge_threads;

static _Atomic unsigned done;      /* steps that are done */
static _Atomic unsigned late;      /* signals after the end of the schedule */
static _Atomic unsigned moves;     /* operations, for those who look whether anything moves */
static _Atomic int live = 1, blocked;
static _Atomic(const char *) waits_in[MOST_THREADS];

static __thread int me = 0;
static __thread unsigned children;

static void say(const char *format, ...) {
    char text[512];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (length > (int)sizeof text - 1)
        length = sizeof text - 1;
    (void)!write(2, text, (size_t)length);
}

static const char *name(int thread) {
    return thread >= 0 && (unsigned)thread < selvedge_threads ? selvedge_names[thread] : "?";
}

static void deviates(const char *what, const char *why) {
    say("selvedge: the program leaves the schedule: thread %s, %s: %s\n", name(me), what, why);
    _exit(DEVIATION);
}

static void sleep_on(_Atomic unsigned *word, unsigned value) {
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void step_done(void) {
    atomic_fetch_add(&done, 1);
    atomic_fetch_add(&moves, 1);
    syscall(SYS_futex, &done, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* Waits for the turn of the next operation of this thread: its step, or NULL if the schedule has none any more. */
static const struct step *turn(const char *what) {
    for (;;) {
        unsigned now = atomic_load(&done);
        unsigned next = now;
        while (next < selvedge_steps && (me < 0 || selvedge_order[next].thread != (unsigned)me))
            next++;
        if (next == selvedge_steps) {
            /* No step of this thread is left: it goes on when all others have made theirs. */
            if (now == selvedge_steps)
                return NULL;
        } else if (next == now) {
            const struct step *step = &selvedge_order[now];
            if (strcmp(step->what, what) == 0)
                return step;
            /* What main does before there are other threads need not be a step. */
            if (me == 0 && children == 0)
                return NULL;
            deviates(what, step->what);
        }
        sleep_on(&done, now);
    }
}

/* The same for what need not be a step: an access to memory, for example to memory of this thread alone. Its step if that
   is the next one of this thread. */
static const struct step *turn_if_next(const char *what) {
    for (;;) {
        unsigned now = atomic_load(&done);
        unsigned next = now;
        while (next < selvedge_steps && (me < 0 || selvedge_order[next].thread != (unsigned)me))
            next++;
        if (next < selvedge_steps && strcmp(selvedge_order[next].what, what) != 0)
            return NULL;
        if (next < selvedge_steps && next == now)
            return &selvedge_order[now];
        /* No step is left: what follows comes after the schedule, unless a step waits for the end of this thread. */
        if (next == selvedge_steps && (now == selvedge_steps || strcmp(selvedge_order[now].what, "join") == 0))
            return NULL;
        sleep_on(&done, now);
    }
}

static int has_steps(void) {
    for (unsigned i = atomic_load(&done); i < selvedge_steps; i++)
        if (me >= 0 && selvedge_order[i].thread == (unsigned)me)
            return 1;
    return 0;
}

static void enter(const char *what) {
    if (me >= 0 && me < MOST_THREADS)
        atomic_store(&waits_in[me], what);
    atomic_fetch_add(&blocked, 1);
}

static void leave(void) {
    atomic_fetch_sub(&blocked, 1);
    atomic_fetch_add(&moves, 1);
    if (me >= 0 && me < MOST_THREADS)
        atomic_store(&waits_in[me], NULL);
}

/* ---- threads ------------------------------------------------------------------------------------------------------ */

struct start {
    void *(*body)(void *);
    void *argument;
    int thread;
    char name[256];
};

/* Of the file that gives inputs: they are a thread's. */
void selvedge_name_thread(const char *);

static __thread char my_name[256] = "0";

static int child(const char *text) {
    for (unsigned i = 0; i < selvedge_threads; i++)
        if (strcmp(selvedge_names[i], text) == 0)
            return (int)i;
    return -1;
}

static void *begin(void *data) {
    struct start start = *(struct start *)data;
    free(data);
    me = start.thread;
    memcpy(my_name, start.name, sizeof my_name);
    selvedge_name_thread(my_name);
    if (turn("start"))
        step_done();
    void *result = start.body(start.argument);
    /* Not every end of a thread is a step. */
    if (has_steps() && turn("end"))
        step_done();
    atomic_fetch_sub(&live, 1);
    atomic_fetch_add(&moves, 1);
    return result;
}

int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
    const struct step *step = turn("create");
    struct start *start = malloc(sizeof *start);
    if (!start)
        deviates("create", "out of memory");
    start->body = body;
    start->argument = argument;
    if (snprintf(start->name, sizeof start->name, "%s.%u", my_name, children + 1) >= (int)sizeof start->name)
        deviates("create", "threads are nested too deeply");
    start->thread = child(start->name);
    atomic_fetch_add(&live, 1);
    int error = __real_pthread_create(thread, attributes, begin, start);
    if (error)
        deviates("create", "no thread can be created");
    children++;
    if (step)
        step_done();
    return error;
}

/* An operation that may wait only after the end of the schedule. */
#define OPERATION(what, function, parameters, arguments)                                                                \
    int __real_##function parameters;                                                                                   \
    int __wrap_##function parameters {                                                                                  \
        const struct step *step = turn(what);                                                                           \
        enter(#function);                                                                                               \
        int result = __real_##function arguments;                                                                       \
        leave();                                                                                                        \
        if (step)                                                                                                       \
            step_done();                                                                                                \
        return result;                                                                                                  \
    }

/* One with an outcome that the schedule knows. */
#define ATTEMPT(what, function, parameters, arguments)                                                                  \
    int __real_##function parameters;                                                                                   \
    int __wrap_##function parameters {                                                                                  \
        const struct step *step = turn(what);                                                                           \
        int result = __real_##function arguments;                                                                       \
        if (step && (result != 0) != step->failed)                                                                      \
            deviates(what, result ? "it fails" : "it succeeds");                                                        \
        if (step)                                                                                                       \
            step_done();                                                                                                \
        return result;                                                                                                  \
    }

OPERATION("join", pthread_join, (pthread_t thread, void **value), (thread, value))
OPERATION("detach", pthread_detach, (pthread_t thread), (thread))
OPERATION("lock", pthread_mutex_lock, (pthread_mutex_t * mutex), (mutex))
OPERATION("unlock", pthread_mutex_unlock, (pthread_mutex_t * mutex), (mutex))
ATTEMPT("trylock", pthread_mutex_trylock, (pthread_mutex_t * mutex), (mutex))
OPERATION("init", pthread_mutex_init, (pthread_mutex_t * mutex, const pthread_mutexattr_t *how), (mutex, how))
OPERATION("destroy", pthread_mutex_destroy, (pthread_mutex_t * mutex), (mutex))
OPERATION("init", pthread_cond_init, (pthread_cond_t * condition, const pthread_condattr_t *how), (condition, how))
OPERATION("destroy", pthread_cond_destroy, (pthread_cond_t * condition), (condition))
OPERATION("rdlock", pthread_rwlock_rdlock, (pthread_rwlock_t * lock), (lock))
OPERATION("wrlock", pthread_rwlock_wrlock, (pthread_rwlock_t * lock), (lock))
ATTEMPT("tryrdlock", pthread_rwlock_tryrdlock, (pthread_rwlock_t * lock), (lock))
ATTEMPT("trywrlock", pthread_rwlock_trywrlock, (pthread_rwlock_t * lock), (lock))
OPERATION("rwunlock", pthread_rwlock_unlock, (pthread_rwlock_t * lock), (lock))
OPERATION("init", pthread_rwlock_init, (pthread_rwlock_t * lock, const pthread_rwlockattr_t *how), (lock, how))
OPERATION("destroy", pthread_rwlock_destroy, (pthread_rwlock_t * lock), (lock))
OPERATION("spinlock", pthread_spin_lock, (pthread_spinlock_t * lock), (lock))
ATTEMPT("spintrylock", pthread_spin_trylock, (pthread_spinlock_t * lock), (lock))
OPERATION("spinunlock", pthread_spin_unlock, (pthread_spinlock_t * lock), (lock))
OPERATION("init", pthread_spin_init, (pthread_spinlock_t * lock, int shared), (lock, shared))
OPERATION("destroy", pthread_spin_destroy, (pthread_spinlock_t * lock), (lock))
OPERATION("semwait", sem_wait, (sem_t * semaphore), (semaphore))
ATTEMPT("semtrywait", sem_trywait, (sem_t * semaphore), (semaphore))
OPERATION("sempost", sem_post, (sem_t * semaphore), (semaphore))
OPERATION("init", sem_init, (sem_t * semaphore, int shared, unsigned value), (semaphore, shared, value))
OPERATION("destroy", sem_destroy, (sem_t * semaphore), (semaphore))

/* Without waiting: the schedule says when it comes. */
#define PAUSE(function, result, parameters)                                                                             \
    result __wrap_##function parameters {                                                                               \
        if (turn("yield"))                                                                                              \
            step_done();                                                                                                \
        return 0;                                                                                                       \
    }

PAUSE(sched_yield, int, (void))
PAUSE(thrd_yield, int, (void))
PAUSE(sleep, unsigned, (unsigned seconds __attribute__((unused))))
PAUSE(usleep, int, (unsigned time __attribute__((unused))))
PAUSE(nanosleep, int,
      (const struct timespec *time __attribute__((unused)), struct timespec *rest __attribute__((unused))))

/* Whoever enters first runs the routine; others enter when it is done. */
static __thread void (*routine)(void);

static void run_once(void) {
    routine();
    if (turn("once done"))
        step_done();
}

int __real_pthread_once(pthread_once_t *, void (*)(void));
int __wrap_pthread_once(pthread_once_t *control, void (*function)(void)) {
    if (turn("once"))
        step_done();
    void (*outer)(void) = routine;
    routine = function;
    int result = __real_pthread_once(control, run_once);
    routine = outer;
    return result;
}

/* For the runtime itself. */
int selvedge_plain_once(pthread_once_t *control, void (*function)(void)) {
    return __real_pthread_once(control, function);
}

void __wrap_call_once(once_flag *flag, void (*function)(void)) {
    __wrap_pthread_once((pthread_once_t *)flag, function);
}

/* ---- accesses to memory -------------------------------------------------------------------------------------------- */

static __thread const struct step *access_step;

void __selvedge_site(const char *what) {
    access_step = turn_if_next(what);
}

void __selvedge_site_done(void) {
    if (access_step)
        step_done();
    access_step = NULL;
}

/* An atomic block is one step. */
static __thread const struct step *block_step;
static __thread unsigned block_depth;

void __wrap___VERIFIER_atomic_begin(void) {
    if (block_depth++ == 0)
        block_step = turn("block");
}

void __wrap___VERIFIER_atomic_end(void) {
    if (block_depth == 0 || --block_depth > 0)
        return;
    if (block_step)
        step_done();
    /* Others may run before what follows. */
    if (turn_if_next("yield"))
        step_done();
}

/* ---- barriers -------------------------------------------------------------------------------------------------------- */

/* The serial thread is the last to arrive, in the order of the schedule. */
static struct barrier {
    _Atomic(void *) address;
    _Atomic unsigned threads, arrived;
} barriers[64];

static struct barrier *barrier_at(void *address) {
    for (unsigned i = 0; i < sizeof barriers / sizeof *barriers; i++)
        if (atomic_load(&barriers[i].address) == address)
            return &barriers[i];
    return NULL;
}

int __real_pthread_barrier_init(pthread_barrier_t *, const pthread_barrierattr_t *, unsigned);
int __wrap_pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *how, unsigned threads) {
    const struct step *step = turn("init");
    struct barrier *place = barrier_at(barrier);
    for (unsigned i = 0; !place && i < sizeof barriers / sizeof *barriers; i++) {
        void *none = NULL;
        if (atomic_compare_exchange_strong(&barriers[i].address, &none, barrier))
            place = &barriers[i];
    }
    if (!place)
        deviates("init", "more barriers than can be followed");
    atomic_store(&place->threads, threads);
    atomic_store(&place->arrived, 0);
    int result = __real_pthread_barrier_init(barrier, how, threads);
    if (step)
        step_done();
    return result;
}

OPERATION("destroy", pthread_barrier_destroy, (pthread_barrier_t * barrier), (barrier))

int __real_pthread_barrier_wait(pthread_barrier_t *);
int __wrap_pthread_barrier_wait(pthread_barrier_t *barrier) {
    const struct step *step = turn("arrive");
    struct barrier *place = barrier_at(barrier);
    unsigned arrived = place ? atomic_fetch_add(&place->arrived, 1) + 1 : 0;
    int is_last = place && arrived % atomic_load(&place->threads) == 0;
    if (step)
        step_done();
    enter("pthread_barrier_wait");
    __real_pthread_barrier_wait(barrier);
    leave();
    if (turn("leave"))
        step_done();
    return is_last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

/* ---- condition variables ------------------------------------------------------------------------------------------- */

static int is_over(clockid_t clock, const struct timespec *end) {
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec > end->tv_sec || (now.tv_sec == end->tv_sec && now.tv_nsec >= end->tv_nsec);
}

/* No real one is used: the schedule says who wakes when. After its end a signal wakes everybody, as POSIX permits. A wait
   with a deadline ends without a signal where the schedule says so; after the end of the schedule, at its deadline. */
static int waits(pthread_mutex_t *mutex, const char *function, clockid_t clock, const struct timespec *end) {
    const struct step *step = turn("wait");
    unsigned before = atomic_load(&late);
    int timed_out = 0;
    int error = __real_pthread_mutex_unlock(mutex);
    if (step)
        step_done();
    if (!end)
        enter(function);
    for (;;) {
        step = end ? turn_if_next("timeout") : NULL;
        if (step) {
            timed_out = 1;
            step_done();
        }
        /* Its step may come; or the schedule ends with this thread in the wait. */
        if ((step = turn("wake")) || atomic_load(&late) != before)
            break;
        if (end && is_over(clock, end)) {
            timed_out = 1;
            break;
        }
        struct timespec moment = {0, 1000 * 1000};
        syscall(SYS_futex, &late, FUTEX_WAIT_PRIVATE, before, end ? &moment : NULL, NULL, 0);
    }
    __real_pthread_mutex_lock(mutex);
    if (!end)
        leave();
    int failed = timed_out || (step && step->failed);
    if (step)
        step_done();
    return error ? error : failed ? ETIMEDOUT : 0;
}

int __wrap_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
    (void)condition;
    return waits(mutex, "pthread_cond_wait", 0, NULL);
}

int __wrap_pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *end) {
    (void)condition;
    return waits(mutex, "pthread_cond_timedwait", CLOCK_REALTIME, end);
}

int __wrap_pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                                  const struct timespec *end) {
    (void)condition;
    return waits(mutex, "pthread_cond_clockwait", clock, end);
}

static int signals(const char *what) {
    if (turn(what)) {
        step_done();
    } else {
        atomic_fetch_add(&late, 1);
        atomic_fetch_add(&moves, 1);
        syscall(SYS_futex, &late, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
    }
    return 0;
}

int __wrap_pthread_cond_signal(pthread_cond_t *condition) {
    (void)condition;
    return signals("signal");
}

int __wrap_pthread_cond_broadcast(pthread_cond_t *condition) {
    (void)condition;
    return signals("broadcast");
}

/* ---- threads that wait for ever --------------------------------------------------------------------------------------- */

static void *watch(void *unused) {
    (void)unused;
    unsigned before = atomic_load(&moves);
    for (int still = 0;;) {
        struct timespec moment = {0, 100 * 1000 * 1000};
        syscall(SYS_nanosleep, &moment, NULL);
        unsigned now = atomic_load(&moves);
        still = now == before ? still + 1 : 0;
        before = now;
        unsigned at = atomic_load(&done);
        if (at < selvedge_steps && still >= PATIENCE * 10) {
            say("selvedge: the program leaves the schedule: thread %s does not come to step %u, %s\n",
                selvedge_names[selvedge_order[at].thread], at + 1, selvedge_order[at].what);
            _exit(DEVIATION);
        }
        if (at < selvedge_steps || still < SECONDS * 10 || atomic_load(&blocked) < atomic_load(&live))
            continue;
        for (unsigned i = 0; i < selvedge_threads && i < MOST_THREADS; i++) {
            const char *what = atomic_load(&waits_in[i]);
            if (what)
                say("selvedge: thread %s waits in %s\n", selvedge_names[i], what);
        }
        say("selvedge: all threads wait, and none has moved for %d seconds\n", SECONDS);
        _exit(STUCK);
    }
}

__attribute__((constructor)) static void prepare(void) {
    pthread_t watcher;
    if (__real_pthread_create(&watcher, NULL, watch, NULL) == 0)
        __real_pthread_detach(watcher);
    if (turn("start"))
        step_done();
}
