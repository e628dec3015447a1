// The system call futex: what `syscall(SYS_futex, …)` becomes. C++20's waiting on atomics, its semaphores, latches and barriers are made of it.
// Who waits on one word waits on one condition variable, so that what wakes a single one wakes any of them and nobody else.
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

void __selvedge_unsupported(const char *what);

struct queue {
    struct queue *next;
    unsigned *word;
    unsigned users;
    unsigned sleeping;
    pthread_cond_t woken;
};

static struct queue *queues;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct queue **find(unsigned *word)
{
    struct queue **at = &queues;
    while (*at && (*at)->word != word)
        at = &(*at)->next;
    return at;
}

static int wait_on(unsigned *word, unsigned value, const struct timespec *end)
{
    int error = 0;
    pthread_mutex_lock(&lock);
    if (__atomic_load_n(word, __ATOMIC_SEQ_CST) != value) {
        pthread_mutex_unlock(&lock);
        return EAGAIN;
    }
    struct queue *queue = *find(word);
    if (!queue) {
        queue = malloc(sizeof *queue);
        queue->next = queues;
        queue->word = word;
        queue->users = queue->sleeping = 0;
        pthread_cond_init(&queue->woken, 0);
        queues = queue;
    }
    queue->users++;
    queue->sleeping++;
    if (end)
        error = pthread_cond_timedwait(&queue->woken, &lock, end);
    else
        pthread_cond_wait(&queue->woken, &lock);
    if (error)
        queue->sleeping--;
    if (--queue->users == 0) {
        *find(word) = queue->next;
        pthread_cond_destroy(&queue->woken);
        free(queue);
    }
    pthread_mutex_unlock(&lock);
    return error;
}

static long wake(unsigned *word, unsigned most)
{
    unsigned woken = 0;
    pthread_mutex_lock(&lock);
    struct queue *queue = *find(word);
    if (queue && most >= queue->sleeping) {
        woken = queue->sleeping;
        pthread_cond_broadcast(&queue->woken);
    } else if (queue) {
        for (; woken < most; woken++)
            pthread_cond_signal(&queue->woken);
    }
    if (queue)
        queue->sleeping -= woken;
    pthread_mutex_unlock(&lock);
    return woken;
}

long __selvedge_futex(long number, ...)
{
    (void)number;
    va_list arguments;
    va_start(arguments, number);
    unsigned *word = va_arg(arguments, unsigned *);
    int operation = va_arg(arguments, int);
    unsigned value = va_arg(arguments, unsigned);
    int error = 0;
    long woken = 0;
    switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_WAKE:
        woken = wake(word, value);
        break;
    case FUTEX_WAIT: {
        // A wait with an end may time out at any moment, whatever the end.
        const struct timespec *length = va_arg(arguments, const struct timespec *);
        struct timespec end;
        if (length)
            end = *length;
        error = wait_on(word, value, length ? &end : 0);
        break;
    }
    case FUTEX_WAIT_BITSET: {
        const struct timespec *given = va_arg(arguments, const struct timespec *);
        va_arg(arguments, unsigned *);
        if (va_arg(arguments, unsigned) != FUTEX_BITSET_MATCH_ANY)
            __selvedge_unsupported("the system call futex with a set of bits");
        struct timespec end;
        if (given)
            end = *given;
        error = wait_on(word, value, given ? &end : 0);
        break;
    }
    default:
        __selvedge_unsupported("an operation of the system call futex");
    }
    va_end(arguments);
    if (error) {
        errno = error;
        return -1;
    }
    return woken;
}
