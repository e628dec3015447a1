// Alarm clock: a monitor with the time, a thread that lets it tick, and clients that sleep until
// their alarms ring.
//
// Shape: the monitor of the Concurrency Tool Comparison (CTC), in C. Alarms lie in a shared array
// with one place for each client; all fields are updated under the monitor's lock. The clock ticks
// only while somebody sleeps.
//
// Sizes: THREADS clients (2) beside the clock, ALARMS for each client in turn (1).
// Verdict: true. ERROR=1: a tick wakes only one sleeper (deadlock). ERROR=2: the clock ticks
// without the lock (data race).
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

#ifndef THREADS
#define THREADS 2
#endif
#ifndef ALARMS
#define ALARMS 1
#endif
#ifndef ERROR
#define ERROR 0
#endif

struct alarm {
    int due;
    bool set;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t ticked, changed;
    int now, sleepers, finished;
    struct alarm alarms[THREADS];
} clock_monitor = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .ticked = PTHREAD_COND_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void sleep_for(int client, int delay)
{
    struct alarm *mine = &clock_monitor.alarms[client];
    pthread_mutex_lock(&clock_monitor.lock);
    mine->due = clock_monitor.now + delay;
    mine->set = true;
    clock_monitor.sleepers++;
    pthread_cond_signal(&clock_monitor.changed);
    while (mine->set)
        pthread_cond_wait(&clock_monitor.ticked, &clock_monitor.lock);
    assert(clock_monitor.now >= mine->due);
    pthread_mutex_unlock(&clock_monitor.lock);
}

static void *client(void *argument)
{
    int number = (int)(long)argument;
    for (int i = 0; i < ALARMS; i++)
        sleep_for(number, 1 + number % 2);
    pthread_mutex_lock(&clock_monitor.lock);
    clock_monitor.finished++;
    pthread_cond_signal(&clock_monitor.changed);
    pthread_mutex_unlock(&clock_monitor.lock);
    return 0;
}

static void ring(void)
{
    for (int i = 0; i < THREADS; i++) {
        struct alarm *alarm = &clock_monitor.alarms[i];
        if (alarm->set && alarm->due <= clock_monitor.now) {
            alarm->set = false;
            clock_monitor.sleepers--;
        }
    }
}

static void *tick(void *unused)
{
    bool running = true;
    while (running) {
        pthread_mutex_lock(&clock_monitor.lock);
        while (clock_monitor.sleepers == 0 && clock_monitor.finished < THREADS)
            pthread_cond_wait(&clock_monitor.changed, &clock_monitor.lock);
        running = clock_monitor.finished < THREADS;
#if ERROR == 2
        pthread_mutex_unlock(&clock_monitor.lock);
#endif
        if (running) {
            clock_monitor.now++;
            ring();
#if ERROR == 1
            pthread_cond_signal(&clock_monitor.ticked);
#else
            pthread_cond_broadcast(&clock_monitor.ticked);
#endif
        }
#if ERROR != 2
        pthread_mutex_unlock(&clock_monitor.lock);
#endif
    }
    return unused;
}

int main(void)
{
    pthread_t clients[THREADS], ticker;
    pthread_create(&ticker, 0, tick, 0);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&clients[i], 0, client, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(clients[i], 0);
    pthread_join(ticker, 0);
    assert(clock_monitor.sleepers == 0 && clock_monitor.now <= 2 * ALARMS * THREADS);
    return 0;
}
