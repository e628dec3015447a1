/* Keeps a native program to a set of schedules. Tables come before this text: what each thread may arrive at, what it then
   waits for, where it goes on. No memory is allocated after the start; only libc and futexes are used.

   An operation: which one it is (function and object), published for those who ask; the states that lead on from what others
   have arrived at; waiting until the operations before it are done; the real operation, which must not have to wait; and one
   more in the count of those that are done. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { FREE = -1, DONE, FAILED, SERIAL };
enum { IS_END, IS_OWN, IS_ASK, IS_DO, IS_PASS };

#define DEVIATION_CODE 120
#define SPINS 100
/* Constructors begin and destructors end with those of this priority, which programs may not have. */
#define FIRST 100
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wprio-ctor-dtor"
#endif

/* The place of the program's call; written before it. */
_Thread_local const char *__selvedge_place = "?";
/* The number of that place, if the object of the call is named by it. */
_Thread_local int __selvedge_site = -1;

static _Thread_local int me = -1;
static _Thread_local int at;
static _Thread_local int next_state;
static _Thread_local unsigned operations;
static _Thread_local unsigned children;
static _Thread_local int current; /* the label of the operation that it has come to */
static _Thread_local unsigned long long noise;

static _Thread_local int is_at_place; /* it does what is at a place: an atomic access, or a call of a library function */

/* Where a program reads requests without end, states count operations from the begin of a part. A thread that passes from a
   part to another one adds what each thread has done in it. */
static _Thread_local unsigned base[THREADS], passes;

/* A number that grows by one at a time, and how many threads sleep until it has a value, by its last four bits. */
struct counter {
    _Atomic unsigned value;
    _Atomic unsigned short sleepers[16];
} __attribute__((aligned(64)));

static struct counter done[THREADS], arrived[THREADS], passed[THREADS];
static _Atomic int published[PLACES]; /* the label that an operation has, plus one */
static _Atomic unsigned tickets[PLACES], ticket;
static _Atomic(const void *) made[OBJECTS + 1];

/* A barrier at which all threads that ever arrive meet each time, so that it is known by counting when they have: how often it
   was complete, how many threads are missing, and how many there are; 0 if it is none of these. */
static struct meeting {
    struct counter complete;
    _Atomic unsigned missing, size;
} meetings[OBJECTS + 1];
static _Thread_local struct meeting *meeting; /* where this thread has arrived */
static _Thread_local unsigned met;            /* what `complete` is when all have */

static pthread_t handles[THREADS];
static _Atomic int joinable[THREADS];
static _Atomic int named[THREADS]; /* the handle is where the creator wants it */
static struct start {
    void *(*body)(void *);
    int (*c11_body)(void *); /* in its place, for a thread of C11 */
    void *argument;
} starts[THREADS];
static _Atomic int is_free;
static int spins;
static unsigned long long delays;
static const char *order_file;
static int order_now = -1; /* the same file, if each operation is written when it is done */

/* ---- messages ---------------------------------------------------------------------------------------------------- */

static void say(const char *format, ...) {
    char text[1024];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (length > (int)sizeof text - 1)
        length = sizeof text - 1;
    for (int sent = 0; sent < length;) {
        ssize_t more = write(2, text + sent, (size_t)(length - sent));
        if (more <= 0)
            break;
        sent += (int)more;
    }
}

static unsigned bits_of(unsigned value) {
    return 1u << (value % 16);
}

/* Wakes the threads that sleep until one of these values. */
static void wake(struct counter *counter, unsigned bits) {
    syscall(SYS_futex, &counter->value, FUTEX_WAKE_BITSET_PRIVATE, INT_MAX, NULL, NULL, bits);
}

/* The set has nothing for what happens here. */
static int deviation(int label, int operation, const char *why) {
    static _Atomic int told, said;
    if (!atomic_exchange(&told, 1)) {
        char expected[512] = "";
        if (me >= 0 && states[at] == IS_OWN) {
            for (int i = 0; i < states[at + 1] && strlen(expected) < 400; i++)
                snprintf(expected + strlen(expected), sizeof expected - strlen(expected), "%s%s", i ? " or " : "; expected: ",
                         label_texts[states[at + 2 + 2 * i]]);
        }
        /* What is done at a place says where. */
        const char *place = operation == OP_AT ? "" : __selvedge_place;
        say("selvedge: deviation from the schedules: thread %s, operation %u, %s%s%s: %s%s\n", me < 0 ? "?" : thread_names[me],
            operations + 1, place, *place ? ": " : "", label >= 0 ? label_texts[label] : operation_names[operation], why,
            expected);
        atomic_store(&said, 1);
    }
    if (!ON_DEVIATION_FREE) {
        /* Another thread may be saying it at this moment. */
        for (int i = 0; i < 1000 && !atomic_load(&said); i++) {
            struct timespec time = {0, 1000000};
            nanosleep(&time, NULL);
        }
        _exit(DEVIATION_CODE);
    }
    atomic_store(&is_free, 1);
    for (int i = 0; i < THREADS; i++) {
        wake(&done[i], ~0u);
        wake(&arrived[i], ~0u);
        wake(&passed[i], ~0u);
    }
    return FREE;
}

/* ---- counters ---------------------------------------------------------------------------------------------------- */

static _Thread_local int patience;
static _Thread_local unsigned waits;

/* Numbers of operations begin again at zero after the greatest one. */
static int has_come(unsigned value, unsigned need) {
    return (int)(value - need) >= 0;
}

static int reach(struct counter *counter, unsigned need) {
    if (has_come(atomic_load_explicit(&counter->value, memory_order_acquire), need))
        return 1;
    /* As long as was worth it lately; now and then for the whole time, to see whether it is again. */
    int most = ++waits % 16 ? patience : spins;
    for (int i = 0; i < most; i++) {
        __builtin_ia32_pause();
        if (has_come(atomic_load_explicit(&counter->value, memory_order_acquire), need)) {
            patience = 2 * i + 8 < spins ? 2 * i + 8 : spins;
            return 1;
        }
    }
    patience /= 2;
    /* Announced before the number is read, and the number is changed before announcements are read: one of the two sees
       the other. Where nobody goes on without schedules, nothing else can wake a thread. */
    _Atomic unsigned short *sleepers = &counter->sleepers[need % 16];
    int reached = 0;
    atomic_fetch_add(sleepers, 1);
    while (!atomic_load(&is_free)) {
        unsigned value = atomic_load(&counter->value);
        reached = has_come(value, need);
        if (reached)
            break;
        struct timespec time;
        if (ON_DEVIATION_FREE) {
            clock_gettime(CLOCK_MONOTONIC, &time);
            time.tv_sec++;
        }
        syscall(SYS_futex, &counter->value, FUTEX_WAIT_BITSET_PRIVATE, value, ON_DEVIATION_FREE ? &time : NULL, NULL,
                bits_of(need));
    }
    atomic_fetch_sub(sleepers, 1);
    return reached;
}

static void raise_to(struct counter *counter, unsigned value) {
    atomic_store(&counter->value, value);
    if (atomic_load(&counter->sleepers[value % 16]))
        wake(counter, bits_of(value));
}

/* ---- operations -------------------------------------------------------------------------------------------------- */

static int is_object(int object, int operation, const void *address) {
    const struct object *which = &objects[object];
    if (which->kind == GLOBAL)
        return *which->address == address;
    if (which->kind == PLACE)
        return operation == OP_AT ? address == (const void *)which : __selvedge_site == object;
    if (which->kind == MADE && operation == OP_INIT) {
        for (int i = 0; i < OBJECTS; i++)
            if (objects[i].kind == GLOBAL && *objects[i].address == address)
                return 0;
        return which->thread == me && which->number == (int)operations + 1;
    }
    return atomic_load(&made[object]) == address;
}

/* What no call has initialised is unknown before its first operation. Who comes to it earlier knows it by what it does: the
   set has no other unknown object to do that with there. That it is the one is seen when its turn has come (`is_met`). */
static int may_be(int object, int operation, const void *address, int is_known) {
    return is_object(object, operation, address)
           || (!is_known && objects[object].kind == MET && !atomic_load(&made[object]));
}

static int find_met(const int *state, int operation, const void *address, const void *mutex, int is_known) {
    int found = -1;
    const int *cases = state[0] == IS_ASK ? state + 4 : state + 2;
    int count = state[0] == IS_ASK ? state[3] : state[0] == IS_OWN ? state[1] : 0;
    for (int i = 0; i < count && found < 0; i++) {
        int label = cases[2 * i];
        if (state[0] == IS_ASK) {
            found = find_met(states + cases[2 * i + 1], operation, address, mutex, is_known);
        } else if (label >= label_first[operation] && label < label_first[operation + 1]) {
            const struct label *l = &labels[label];
            if ((l->kind == OBJECT || l->kind == WAIT) && may_be(l->target, operation, address, is_known)
                && (l->kind == OBJECT || may_be(l->mutex, operation, mutex, is_known)))
                found = label;
        }
    }
    return found;
}

static int is_met_at(int object, const void *address) {
    if (objects[object].kind != MET)
        return 1;
    if (objects[object].thread != me || objects[object].number != (int)operations + 1)
        return atomic_load(&made[object]) == address;
    for (int i = 0; i < OBJECTS; i++)
        if (objects[i].kind == GLOBAL ? *objects[i].address == address : atomic_load(&made[i]) == address) {
            if (objects[i].kind == GLOBAL)
                return 0;
            atomic_store(&made[i], NULL);
        }
    atomic_store(&made[object], address);
    return 1;
}

static int is_met(const struct label *label, const void *address, const void *mutex) {
    return (label->kind != OBJECT && label->kind != WAIT)
           || (is_met_at(label->target, address) && (label->kind == OBJECT || is_met_at(label->mutex, mutex)));
}

/* The label of an operation on an object, with a mutex if it is about a wait, or on a thread. */
static int find(int operation, const void *address, const void *mutex, int thread) {
    for (int i = label_first[operation]; i < label_first[operation + 1]; i++) {
        const struct label *label = &labels[i];
        if (label->kind == NOTHING || (label->kind == THREAD && label->target == thread)
            || (label->kind == OBJECT && is_object(label->target, operation, address))
            || (label->kind == WAIT && is_object(label->target, operation, address)
                && is_object(label->mutex, operation, mutex)))
            return i;
    }
    return -1;
}

static int branch(const int *cases, int count, int label) {
    for (int i = 0; i < count; i++)
        if (cases[2 * i] == label)
            return cases[2 * i + 1];
    return -1;
}

static void delay(void) {
    if (!delays)
        return;
    noise = noise * 6364136223846793005ull + 1442695040888963407ull;
    unsigned draw = (unsigned)(noise >> 40);
    struct timespec time = {0, (draw >> 2) % 300 * 1000};
    if (draw & 3)
        return;
    nanosleep(&time, NULL);
}

/* The place of a thread's n-th operation, counted from 0. */
static unsigned place_of(int thread, unsigned number) {
    return (unsigned)first_place[thread] + (PARTS ? number % longest[thread] : number);
}

/* Goes on in another part, when all operations of the one before are done. Who is in a part has heard of everything before
   the last one: so nobody asks any more for what is written over now, two parts later. */
static int pass(const int *state) {
    const unsigned char *alive = lives + state[1] * THREADS;
    for (int i = 0; i < THREADS; i++)
        base[i] += (unsigned)state[2 + i];
    raise_to(&passed[me], ++passes);
    for (int i = 0; i < THREADS; i++)
        if (i != me && (!reach(&done[i], base[i]) || (alive[i] && !reach(&passed[i], passes - 1))))
            return 0;
    at = first_state[state[1] * THREADS + me];
    return 1;
}

void __selvedge_behind(void);

/* Comes to an operation, and returns when it may be done, with what is to come of it. */
static int enter_with(int operation, const void *address, const void *mutex, int thread, int *which) {
    __selvedge_behind();
    if (atomic_load_explicit(&is_free, memory_order_relaxed))
        return FREE;
    delay();
    if (me < 0)
        return deviation(-1, operation, "the schedules do not know this thread");
    int label = HAS_MET ? find_met(states + at, operation, address, mutex, 1) : -1;
    if (HAS_MET && label < 0)
        label = find_met(states + at, operation, address, mutex, 0);
    if (label < 0)
        label = find(operation, address, mutex, thread);
    if (which)
        *which = label;
    if (label < 0)
        return deviation(-1, operation, "no schedule has this operation on this object");
    current = label;
    if (!PARTS && operations >= longest[me])
        return deviation(label, operation, "every schedule has ended for this thread");
    if (is_asked[me] || order_file) {
        atomic_store_explicit(&published[place_of(me, operations)], label + 1, memory_order_release);
        raise_to(&arrived[me], operations + 1);
    }
    for (;;) {
        const int *state = states + at;
        int to;
        switch (state[0]) {
        case IS_ASK:
            if (!reach(&arrived[state[1]], base[state[1]] + (unsigned)state[2]))
                return FREE;
            to = branch(state + 4, state[3],
                        atomic_load(&published[place_of(state[1], base[state[1]] + (unsigned)state[2] - 1)]) - 1);
            while (to < 0) { /* that thread has deviated, and says so */
                if (atomic_load(&is_free))
                    return FREE;
                struct timespec time = {0, 1000000};
                nanosleep(&time, NULL);
            }
            at = to;
            break;
        case IS_OWN:
            to = branch(state + 2, state[1], label);
            if (to < 0)
                return deviation(label, operation, "no schedule has it here");
            at = to;
            break;
        case IS_DO:
            if (operation == OP_LEAVE && meeting) {
                if (!reach(&meeting->complete, met))
                    return FREE;
            } else
                for (int i = 0; i < state[2]; i++)
                if (!reach(&done[state[3 + 2 * i]], base[state[3 + 2 * i]] + (unsigned)state[4 + 2 * i]))
                    return FREE;
            if (HAS_MET && !is_met(&labels[label], address, mutex))
                return deviation(label, operation, "the object is another one");
            next_state = state[3 + 2 * state[2]];
            return state[1];
        case IS_PASS:
            if (!pass(state))
                return FREE;
            break;
        default:
            return deviation(label, operation, "every schedule has ended for this thread");
        }
    }
}

static int enter(int operation, const void *address, int thread, int *which) {
    return enter_with(operation, address, NULL, thread, which);
}

/* The operation is done. */
static void leave(void) {
    if (order_now >= 0) {
        char line[512];
        int length = snprintf(line, sizeof line, "%s %u %s\n", thread_names[me], operations + 1, label_texts[current]);
        if (write(order_now, line, (size_t)length) != length)
            order_now = -1;
    } else if (order_file)
        atomic_store(&tickets[first_place[me] + operations], atomic_fetch_add(&ticket, 1) + 1);
    at = next_state;
    operations++;
    raise_to(&done[me], operations);
}

/* ---- places -------------------------------------------------------------------------------------------------------- */

void __selvedge_at(int place) {
    int error = errno;
    is_at_place = enter(OP_AT, &objects[place], -1, NULL) != FREE;
    errno = error;
}

/* It has done that. An exception may leave a call: then this is not called before the next operation. */
void __selvedge_behind(void) {
    if (!is_at_place)
        return;
    int error = errno;
    is_at_place = 0;
    leave();
    errno = error;
}

/* Waits on a word: they end at once, as if spuriously, and who waits looks again. That is an operation, which waits for its turn.
   So nobody has to be woken. */
long __selvedge_syscall(long number, ...) {
    va_list list;
    va_start(list, number);
    const unsigned *word = va_arg(list, const unsigned *);
    int operation = va_arg(list, int);
    unsigned value = va_arg(list, unsigned);
    va_end(list);
    switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_WAKE:
        return 0;
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
        errno = EAGAIN; /* POSIX leaves open what it is after success; the set was made so */
        return __atomic_load_n(word, __ATOMIC_SEQ_CST) == value ? 0 : -1;
    default:
        deviation(-1, OP_AT, "an operation of the system call futex that the schedules do not know");
        errno = ENOSYS;
        return -1;
    }
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

static pthread_key_t end_key;
static _Atomic int main_has_ended;

static void begin(int thread) {
    me = thread;
    at = first_state[thread];
    noise = delays * 0x9e3779b97f4a7c15ull + (unsigned)thread * 0xbf58476d1ce4e5b9ull;
    pthread_setspecific(end_key, (void *)1);
}

/* Destructors of the program's keys, by key. */
static void (*_Atomic destructors[PTHREAD_KEYS_MAX])(void *);

/* The last round of destructors, in the order of keys as the C library has it. None is left for it then. */
static void last_round(void) {
    for (unsigned key = 0; key < PTHREAD_KEYS_MAX; key++) {
        void (*destructor)(void *) = atomic_load(&destructors[key]);
        void *value = destructor ? pthread_getspecific(key) : NULL;
        if (!value)
            continue;
        pthread_setspecific(key, NULL);
        destructor(value);
    }
    for (unsigned key = 0; key < PTHREAD_KEYS_MAX; key++)
        if (atomic_load(&destructors[key]))
            pthread_setspecific(key, NULL);
}

/* The last thing that a thread does: after cleanup handlers, and after destructors of the program's keys. Those run in rounds
   as long as keys have values; this one waits for the last round, and does that itself, since its own key is the first. */
static void end(void *round) {
    if ((intptr_t)round < PTHREAD_DESTRUCTOR_ITERATIONS) {
        pthread_setspecific(end_key, (void *)((intptr_t)round + 1));
        return;
    }
    last_round();
    if (enter(OP_END, NULL, -1, NULL) != FREE)
        leave();
    /* Then the last thread by the clock ends the process. That is no operation: in the schedule all others have ended. */
    if (me == 0)
        atomic_store(&main_has_ended, 1);
}

static void *run(void *number) {
    int thread = (int)(intptr_t)number;
    while (!atomic_load(&named[thread]))
        sched_yield();
    begin(thread);
    const struct start *it = &starts[thread];
    return it->body ? it->body(it->argument) : (void *)(intptr_t)it->c11_body(it->argument);
}

int thrd_create(pthread_t *handle, int (*body)(void *), void *argument);

static int create(pthread_t *handle, const pthread_attr_t *attributes, struct start it) {
    int child = -1;
    for (int i = 0; i < THREADS && child < 0; i++)
        if (me >= 0 && parents[i] == me && ordinals[i] == (int)children + 1)
            child = i;
    if (enter(OP_CREATE, NULL, child, NULL) == FREE)
        return it.body ? pthread_create(handle, attributes, it.body, it.argument)
                       : thrd_create(handle, it.c11_body, it.argument);
    int detached = PTHREAD_CREATE_JOINABLE;
    if (attributes)
        pthread_attr_getdetachstate(attributes, &detached);
    starts[child] = it;
    int result = pthread_create(&handles[child], attributes, run, (void *)(intptr_t)child);
    if (result) {
        deviation(-1, OP_CREATE, "the system gives no thread");
        return result;
    }
    children++;
    *handle = handles[child];
    /* The system may use the handle of a thread that is not joined again once that has ended. */
    atomic_store(&joinable[child], detached == PTHREAD_CREATE_JOINABLE);
    atomic_store(&named[child], 1);
    leave();
    return 0;
}

int __selvedge_pthread_create(pthread_t *handle, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
    return create(handle, attributes, (struct start){body, NULL, argument});
}

static int thread_of(pthread_t handle) {
    for (int i = 0; i < THREADS; i++)
        if (atomic_load(&joinable[i]) && pthread_equal(handles[i], handle))
            return i;
    return -1;
}

int __selvedge_pthread_join(pthread_t handle, void **result) {
    int thread = thread_of(handle);
    if (enter(OP_JOIN, NULL, thread, NULL) == FREE)
        return pthread_join(handle, result);
    atomic_store(&joinable[thread], 0);
    int error = pthread_join(handle, result);
    leave();
    return error;
}

int __selvedge_pthread_detach(pthread_t handle) {
    int thread = pthread_equal(handle, pthread_self()) ? me : thread_of(handle);
    if (enter(OP_DETACH, NULL, thread, NULL) == FREE)
        return pthread_detach(handle);
    /* The creator of this very thread may not have noted yet that it can be joined. */
    while (!atomic_load(&joinable[thread])) {
        struct timespec time = {0, 50000};
        nanosleep(&time, NULL);
    }
    atomic_store(&joinable[thread], 0);
    int error = pthread_detach(handle);
    leave();
    return error;
}

__attribute__((noreturn)) void __selvedge_pthread_exit(void *result) {
    pthread_exit(result);
}

int __selvedge_pthread_key_create(pthread_key_t *key, void (*destructor)(void *)) {
    int result = pthread_key_create(key, destructor);
    if (!result)
        atomic_store(&destructors[*key], destructor);
    return result;
}

int __selvedge_pthread_key_delete(pthread_key_t key) {
    if (key < PTHREAD_KEYS_MAX)
        atomic_store(&destructors[key], NULL);
    return pthread_key_delete(key);
}

/* ---- locks ------------------------------------------------------------------------------------------------------- */

static const char busy[] = "it is not free, though the schedule has it so";
static const char not_busy[] = "it is free, though the schedule has it otherwise";

/* `operation` as `try` does it at once; where others have broken the order, as `name` does. */
#define TAKES(name, type, try, operation)                                                                                        \
    int __selvedge_##name(type *lock) {                                                                                          \
        if (enter(operation, (const void *)lock, -1, NULL) == FREE)                                                              \
            return name(lock);                                                                                                   \
        int result = try(lock);                                                                                                  \
        if (result == EBUSY) {                                                                                                   \
            deviation(-1, operation, busy);                                                                                      \
            return name(lock);                                                                                                   \
        }                                                                                                                        \
        leave();                                                                                                                 \
        return result;                                                                                                           \
    }

#define TRIES(name, type, operation)                                                                                             \
    int __selvedge_##name(type *lock) {                                                                                          \
        int outcome = enter(operation, (const void *)lock, -1, NULL);                                                            \
        if (outcome == FREE)                                                                                                     \
            return name(lock);                                                                                                   \
        int result = outcome == FAILED ? EBUSY : name(lock);                                                                     \
        if (outcome != FAILED && result == EBUSY) {                                                                              \
            deviation(-1, operation, busy);                                                                                      \
            return result;                                                                                                       \
        }                                                                                                                        \
        leave();                                                                                                                 \
        return result;                                                                                                           \
    }

#define GIVES_BACK(name, type)                                                                                                   \
    int __selvedge_##name(type *lock) {                                                                                          \
        if (enter(OP_UNLOCK, (const void *)lock, -1, NULL) == FREE)                                                              \
            return name(lock);                                                                                                   \
        int result = name(lock);                                                                                                 \
        leave();                                                                                                                 \
        return result;                                                                                                           \
    }

/* With a deadline. Where the schedule has it in vain, the lock is held until this is done: so the
   real call waits, and says why it fails. */
#define WAITS(name, parameters, arguments, try, operation)                                                                \
    int __selvedge_##name parameters {                                                                                           \
        int outcome = enter(operation, lock, -1, NULL);                                                                          \
        if (outcome == FREE)                                                                                                     \
            return name arguments;                                                                                               \
        int result = outcome == FAILED ? name arguments : try(lock);                                                             \
        if (outcome == FAILED ? !result : result == EBUSY) {                                                                     \
            deviation(-1, operation, result ? busy : not_busy);                                                                  \
            return result ? name arguments : 0;                                                                                  \
        }                                                                                                                        \
        leave();                                                                                                                 \
        return result;                                                                                                           \
    }
#define UNTIL(name, type, try, operation)                                                                                        \
    WAITS(name, (type * lock, const struct timespec *deadline), (lock, deadline), try, operation)
#define UNTIL_BY(name, type, try, operation)                                                                                     \
    WAITS(name, (type * lock, clockid_t clock, const struct timespec *deadline), (lock, clock, deadline), try, operation)

TAKES(pthread_mutex_lock, pthread_mutex_t, pthread_mutex_trylock, OP_LOCK)
UNTIL(pthread_mutex_timedlock, pthread_mutex_t, pthread_mutex_trylock, OP_LOCK)
UNTIL_BY(pthread_mutex_clocklock, pthread_mutex_t, pthread_mutex_trylock, OP_LOCK)
UNTIL(pthread_rwlock_timedwrlock, pthread_rwlock_t, pthread_rwlock_trywrlock, OP_LOCK)
UNTIL_BY(pthread_rwlock_clockwrlock, pthread_rwlock_t, pthread_rwlock_trywrlock, OP_LOCK)
UNTIL(pthread_rwlock_timedrdlock, pthread_rwlock_t, pthread_rwlock_tryrdlock, OP_READ_LOCK)
UNTIL_BY(pthread_rwlock_clockrdlock, pthread_rwlock_t, pthread_rwlock_tryrdlock, OP_READ_LOCK)
TRIES(pthread_mutex_trylock, pthread_mutex_t, OP_TRY_LOCK)
GIVES_BACK(pthread_mutex_unlock, pthread_mutex_t)
TAKES(pthread_spin_lock, pthread_spinlock_t, pthread_spin_trylock, OP_LOCK)
TRIES(pthread_spin_trylock, pthread_spinlock_t, OP_TRY_LOCK)
GIVES_BACK(pthread_spin_unlock, pthread_spinlock_t)
TAKES(pthread_rwlock_wrlock, pthread_rwlock_t, pthread_rwlock_trywrlock, OP_LOCK)
TRIES(pthread_rwlock_trywrlock, pthread_rwlock_t, OP_TRY_LOCK)
TAKES(pthread_rwlock_rdlock, pthread_rwlock_t, pthread_rwlock_tryrdlock, OP_READ_LOCK)
TRIES(pthread_rwlock_tryrdlock, pthread_rwlock_t, OP_TRY_READ_LOCK)
GIVES_BACK(pthread_rwlock_unlock, pthread_rwlock_t)

/* ---- condition variables ----------------------------------------------------------------------------------------- */

/* The clock that a condition variable was given by its attributes. */
static _Atomic clockid_t clocks[OBJECTS + 1];
#define ITS_OWN ((clockid_t)-1)

/* The real condition variable is not used: who is woken by whom is the schedule's. A wait gives the mutex back, waits for its
   own end in the schedule, and takes the mutex again. Where there are no schedules any more it ends as if spuriously, since a
   real signal would not reach it. */
static int wait_on(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *deadline) {
    int label;
    if (enter_with(OP_SLEEP, condition, mutex, -1, &label) == FREE) {
        if (!deadline)
            return pthread_cond_wait(condition, mutex);
        return clock == ITS_OWN ? pthread_cond_timedwait(condition, mutex, deadline)
                                : pthread_cond_clockwait(condition, mutex, clock, deadline);
    }
    if (clock == ITS_OWN)
        clock = clocks[labels[label].target];
    int result = pthread_mutex_unlock(mutex);
    if (result) {
        deviation(-1, OP_SLEEP, "the mutex is not held");
        return result;
    }
    leave();
    int outcome = enter_with(OP_WAKE, condition, mutex, -1, NULL);
    if (outcome == FAILED) {
        if (!deadline) {
            outcome = deviation(-1, OP_WAKE, "this wait has no deadline");
        } else {
            while (clock_nanosleep(clock, TIMER_ABSTIME, deadline, NULL) == EINTR)
                ;
            result = ETIMEDOUT;
            leave();
            outcome = enter_with(OP_WAKE, condition, mutex, -1, NULL);
        }
    }
    if (outcome == FREE) {
        pthread_mutex_lock(mutex);
        return result;
    }
    if (pthread_mutex_trylock(mutex) == EBUSY) {
        deviation(-1, OP_WAKE, busy);
        pthread_mutex_lock(mutex);
        return result;
    }
    leave();
    return result;
}

int __selvedge_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
    return wait_on(condition, mutex, ITS_OWN, NULL);
}

int __selvedge_pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *deadline) {
    return wait_on(condition, mutex, ITS_OWN, deadline);
}

int __selvedge_pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                                      const struct timespec *deadline) {
    return wait_on(condition, mutex, clock, deadline);
}

#define WAKES(name, operation)                                                                                                   \
    int __selvedge_##name(pthread_cond_t *condition) {                                                                           \
        if (enter(operation, condition, -1, NULL) == FREE)                                                                       \
            return name(condition);                                                                                              \
        if (ON_DEVIATION_FREE) /* for those who wait without schedules already */                                                \
            name(condition);                                                                                                     \
        leave();                                                                                                                 \
        return 0;                                                                                                                \
    }

WAKES(pthread_cond_signal, OP_SIGNAL)
WAKES(pthread_cond_broadcast, OP_BROADCAST)

/* ---- once -------------------------------------------------------------------------------------------------------- */

static _Thread_local void (*routine)(void);
static _Thread_local const void *control;
static _Thread_local int control_site;

struct around {
    void (*routine)(void);
    const void *control;
    int site;
};

static void leave_once(struct around *mine) {
    __selvedge_site = mine->site;
    if (enter(OP_ONCE_DONE, mine->control, -1, NULL) != FREE)
        leave();
}

/* The routine may also be left by an exception. */
static void run_once(void) {
    struct around mine __attribute__((cleanup(leave_once))) = {routine, control, control_site};
    mine.routine();
}

static void go_on_with(struct around *around) {
    routine = around->routine;
    control = around->control;
    control_site = around->site;
}

/* Whether the routine runs is the real control's, which knows also what came before a deviation. */
int __selvedge_pthread_once(pthread_once_t *once, void (*body)(void)) {
    if (enter(OP_ONCE, once, -1, NULL) == FREE)
        return pthread_once(once, body);
    leave();
    struct around around __attribute__((cleanup(go_on_with))) = {routine, control, control_site};
    (void)around;
    routine = body;
    control = once;
    control_site = __selvedge_site;
    return pthread_once(once, run_once);
}

/* ---- semaphores -------------------------------------------------------------------------------------------------- */

int __selvedge_sem_post(sem_t *semaphore) {
    if (enter(OP_POST, semaphore, -1, NULL) == FREE)
        return sem_post(semaphore);
    int result = sem_post(semaphore);
    leave();
    return result;
}

int __selvedge_sem_wait(sem_t *semaphore) {
    if (enter(OP_WAIT, semaphore, -1, NULL) == FREE)
        return sem_wait(semaphore);
    if (sem_trywait(semaphore)) {
        deviation(-1, OP_WAIT, busy);
        return sem_wait(semaphore);
    }
    leave();
    return 0;
}

#define UNTIL_POSTED(name, parameters, arguments)                                                                                \
    int __selvedge_##name parameters {                                                                                           \
        int outcome = enter(OP_WAIT, semaphore, -1, NULL);                                                                       \
        if (outcome == FREE)                                                                                                     \
            return name arguments;                                                                                               \
        int result = outcome == FAILED ? name arguments : sem_trywait(semaphore);                                                \
        if (outcome == FAILED ? !result : result) {                                                                              \
            deviation(-1, OP_WAIT, result ? busy : not_busy);                                                                    \
            return result ? name arguments : 0;                                                                                  \
        }                                                                                                                        \
        int error = errno;                                                                                                       \
        leave();                                                                                                                 \
        errno = error;                                                                                                           \
        return result;                                                                                                           \
    }

UNTIL_POSTED(sem_timedwait, (sem_t * semaphore, const struct timespec *deadline), (semaphore, deadline))
UNTIL_POSTED(sem_clockwait, (sem_t * semaphore, clockid_t clock, const struct timespec *deadline), (semaphore, clock, deadline))

int __selvedge_sem_trywait(sem_t *semaphore) {
    int outcome = enter(OP_TRY_WAIT, semaphore, -1, NULL);
    if (outcome == FREE)
        return sem_trywait(semaphore);
    int result = -1;
    if (outcome != FAILED && (result = sem_trywait(semaphore))) {
        deviation(-1, OP_TRY_WAIT, busy);
        errno = EAGAIN;
        return result;
    }
    leave();
    if (outcome == FAILED)
        errno = EAGAIN;
    return result;
}

int __selvedge_sem_getvalue(sem_t *semaphore, int *value) {
    int outcome = enter(OP_VALUE, semaphore, -1, NULL);
    int result = sem_getvalue(semaphore, value);
    if (outcome != FREE)
        leave();
    return result;
}

/* ---- barriers ---------------------------------------------------------------------------------------------------- */

/* The last thread that comes to a barrier wakes all others. */
static void meet(int label) {
    meeting = label >= 0 && labels[label].kind == OBJECT ? &meetings[labels[label].target] : NULL;
    unsigned size = meeting ? atomic_load(&meeting->size) : 0;
    if (!size) {
        meeting = NULL;
        return;
    }
    met = atomic_load(&meeting->complete.value) + 1;
    if (atomic_fetch_sub(&meeting->missing, 1) != 1)
        return;
    atomic_store(&meeting->missing, size);
    raise_to(&meeting->complete, met);
}

/* The real barrier is not used: who leaves waits for all arrivals. But where others may go on without schedules, threads meet at
   the real one. */
int __selvedge_pthread_barrier_wait(pthread_barrier_t *barrier) {
    int label, outcome = enter(OP_ARRIVE, barrier, -1, &label);
    if (outcome == FREE)
        return pthread_barrier_wait(barrier);
    leave();
    meet(label);
    if (ON_DEVIATION_FREE)
        pthread_barrier_wait(barrier);
    if (enter(OP_LEAVE, barrier, -1, NULL) != FREE)
        leave();
    meeting = NULL;
    return outcome == SERIAL ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

/* ---- standard input ---------------------------------------------------------------------------------------------- */

/* Reads until all bytes are there, or the input has ended: what a program gets is then the same however the input comes. The set
   was made so. `got`: how many bytes came. Returns what the last `read` returned. */
static ssize_t read_whole(void *bytes, size_t size, size_t *got) {
    ssize_t more = 1;
    while (*got < size && more) {
        more = read(0, (char *)bytes + *got, size - *got);
        if (more < 0 && errno == EINTR)
            continue;
        if (more < 0)
            break;
        *got += (size_t)more;
    }
    return more;
}

/* A request is an operation, and a set has no schedule for a part of one. */
ssize_t __selvedge_read(int file, void *bytes, size_t size) {
    static _Atomic int has_ended;
    size_t got = 0;
    if (file != 0 || atomic_load(&is_free))
        return read(file, bytes, size);
    if (!REQUESTS) {
        ssize_t last = read_whole(bytes, size, &got);
        return last < 0 && !got ? last : (ssize_t)got;
    }
    if (atomic_load(&has_ended) || enter(OP_REQUEST, NULL, -1, NULL) == FREE)
        return read(file, bytes, size);
    ssize_t last = read_whole(bytes, size, &got);
    if (last < 0 || (!last && got)) {
        deviation(-1, OP_REQUEST, last ? "the request cannot be read" : "the input ends within a request");
        return got ? (ssize_t)got : last;
    }
    if (!got)
        atomic_store(&has_ended, 1);
    leave();
    return (ssize_t)got;
}

/* ---- their begin and end ----------------------------------------------------------------------------------------- */

static void has_made(int label, const void *address) {
    int object = labels[label].target;
    for (int i = 0; i < OBJECTS; i++)
        if (atomic_load(&made[i]) == address)
            atomic_store(&made[i], NULL);
    if (objects[object].kind == MADE)
        atomic_store(&made[object], address);
}

static void has_ended(int label) {
    atomic_store(&made[labels[label].target], NULL);
}

#define ABOUT(name, parameters, arguments, address, operation, then)                                                             \
    int __selvedge_##name parameters {                                                                                           \
        int label, outcome = enter(operation, address, -1, &label);                                                              \
        int result = name arguments;                                                                                             \
        if (outcome != FREE) {                                                                                                   \
            then;                                                                                                                \
            leave();                                                                                                             \
        }                                                                                                                        \
        return result;                                                                                                           \
    }

ABOUT(pthread_mutex_init, (pthread_mutex_t * m, const pthread_mutexattr_t *a), (m, a), m, OP_INIT, has_made(label, m))
ABOUT(pthread_mutex_destroy, (pthread_mutex_t * m), (m), m, OP_DESTROY, has_ended(label))
static void has_made_condition(int label, const pthread_cond_t *condition, const pthread_condattr_t *attributes) {
    clockid_t clock = CLOCK_REALTIME;
    has_made(label, condition);
    if (attributes)
        pthread_condattr_getclock(attributes, &clock);
    clocks[labels[label].target] = clock;
}

static void condition_has_ended(int label) {
    has_ended(label);
    clocks[labels[label].target] = CLOCK_REALTIME;
}

ABOUT(pthread_cond_init, (pthread_cond_t * c, const pthread_condattr_t *a), (c, a), c, OP_INIT, has_made_condition(label, c, a))
ABOUT(pthread_cond_destroy, (pthread_cond_t * c), (c), c, OP_DESTROY, condition_has_ended(label))
ABOUT(pthread_rwlock_init, (pthread_rwlock_t * l, const pthread_rwlockattr_t *a), (l, a), l, OP_INIT, has_made(label, l))
ABOUT(pthread_rwlock_destroy, (pthread_rwlock_t * l), (l), l, OP_DESTROY, has_ended(label))
ABOUT(pthread_spin_init, (pthread_spinlock_t * l, int shared), (l, shared), (const void *)l, OP_INIT,
      has_made(label, (const void *)l))
ABOUT(pthread_spin_destroy, (pthread_spinlock_t * l), (l), (const void *)l, OP_DESTROY, has_ended(label))
ABOUT(sem_init, (sem_t * s, int shared, unsigned value), (s, shared, value), s, OP_INIT, has_made(label, s))
ABOUT(sem_destroy, (sem_t * s), (s), s, OP_DESTROY, has_ended(label))
/* If other threads may arrive at another time, who leaves waits for the arrivals that its state names. */
static void has_made_barrier(int label, const pthread_barrier_t *barrier, unsigned size) {
    has_made(label, barrier);
    int object = label >= 0 && labels[label].kind == OBJECT ? labels[label].target : OBJECTS;
    unsigned known = object < OBJECTS && arrivers[object] == size ? size : 0;
    atomic_store(&meetings[object].missing, known);
    atomic_store(&meetings[object].size, known);
}

ABOUT(pthread_barrier_init, (pthread_barrier_t * b, const pthread_barrierattr_t *a, unsigned n), (b, a, n), b, OP_INIT,
      has_made_barrier(label, b, n))
ABOUT(pthread_barrier_destroy, (pthread_barrier_t * b), (b), b, OP_DESTROY, has_ended(label))

/* ---- the process ------------------------------------------------------------------------------------------------- */

/* SELVEDGE_ORDER=FILE: the operations in the order in which they were done, a line each. */
static void write_order(void) {
    FILE *file = fopen(order_file, "w");
    if (!file)
        return;
    unsigned most = atomic_load(&ticket);
    for (unsigned wanted = 1; wanted <= most; wanted++)
        for (int thread = 0; thread < THREADS; thread++)
            for (unsigned i = 0; i < longest[thread]; i++)
                if (atomic_load(&tickets[first_place[thread] + i]) == wanted)
                    fprintf(file, "%s %u %s\n", thread_names[thread], i + 1,
                            label_texts[atomic_load(&published[first_place[thread] + i]) - 1]);
    fclose(file);
}

/* After `exit` handlers, destructors of global objects and functions that are destructors. */
__attribute__((destructor(FIRST))) static void at_exit(void) {
    if (!atomic_load(&is_free) && !atomic_load(&main_has_ended)) {
        if (me != 0)
            deviation(-1, OP_EXIT, "the process ends in another thread than the main one");
        else if (enter(OP_EXIT, NULL, -1, NULL) != FREE)
            leave();
    }
    if (order_file && !PARTS)
        write_order();
}

/* Whether the process has never had a second thread; libstdc++ counts references without atomics then. The model library says no. */
extern char __libc_single_threaded __attribute__((weak));

/* Before all constructors of the program. */
__attribute__((constructor(FIRST))) static void start(void) {
    const char *seed = getenv("SELVEDGE_DELAYS");
    delays = seed ? strtoull(seed, NULL, 10) + 1 : 0;
    order_file = getenv("SELVEDGE_ORDER");
    if (order_file && PARTS)
        order_now = open(order_file, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0666);
    spins = sysconf(_SC_NPROCESSORS_ONLN) >= THREADS ? SPINS : 0;
    pthread_key_create(&end_key, end);
    if (&__libc_single_threaded)
        __libc_single_threaded = 0;
    begin(0);
}
