// Lifts in a building: people press buttons, lifts claim floors, fetch the people and bring them
// where they want to go.
//
// Shape: Elevator of the race detection literature (pjbench), in C. Calls are fields of the
// elements of a shared array of floors, each updated under its floor's lock; each lift has a row of
// its own in the shared array of passengers; the list of events is only read after the threads have
// started.
//
// Sizes: THREADS (2): lifts, beside one thread that presses the buttons; FLOORS (2), PEOPLE (1).
// Verdict: true. ERROR=1: a lift claims a floor without its lock (data race on an element; two
// lifts for one call). ERROR=2: the last floor has no lock of its own, since the locks are one too
// few (memory error). ERROR=3: nobody tells a lift that waits that all have arrived (deadlock).
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

#ifndef THREADS
#define THREADS 2
#endif
#ifndef FLOORS
#define FLOORS 2
#endif
#ifndef PEOPLE
#define PEOPLE 1
#endif
#ifndef ERROR
#define ERROR 0
#endif

struct event {
    int from, to;
};

struct floor {
    int waiting[FLOORS];
    bool called, claimed;
};

static struct event events[PEOPLE];
static struct floor floors[FLOORS];
static pthread_mutex_t floor_locks[FLOORS - (ERROR == 2)];
static int passengers[THREADS][FLOORS], delivered[THREADS];

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int calls, arrived;
} controls = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void press(const struct event *event)
{
    struct floor *floor = &floors[event->from];
    pthread_mutex_lock(&floor_locks[event->from]);
    floor->waiting[event->to]++;
    floor->called = true;
    pthread_mutex_unlock(&floor_locks[event->from]);
    pthread_mutex_lock(&controls.lock);
    controls.calls++;
    pthread_cond_broadcast(&controls.changed);
    pthread_mutex_unlock(&controls.lock);
}

static void *press_all(void *unused)
{
    for (int i = 0; i < PEOPLE; i++)
        press(&events[i]);
    return unused;
}

static bool claim(int number)
{
    struct floor *floor = &floors[number];
    bool mine = false;
#if ERROR != 1
    pthread_mutex_lock(&floor_locks[number]);
#endif
    if (floor->called && !floor->claimed)
        mine = floor->claimed = true;
#if ERROR != 1
    pthread_mutex_unlock(&floor_locks[number]);
#endif
    return mine;
}

static void fetch(int lift, int number)
{
    struct floor *floor = &floors[number];
    pthread_mutex_lock(&floor_locks[number]);
    assert(floor->called && floor->claimed);
    for (int to = 0; to < FLOORS; to++) {
        passengers[lift][to] += floor->waiting[to];
        floor->waiting[to] = 0;
    }
    floor->called = floor->claimed = false;
    pthread_mutex_unlock(&floor_locks[number]);
}

static int deliver(int lift)
{
    int sum = 0;
    for (int to = 0; to < FLOORS; to++) {
        sum += passengers[lift][to];
        passengers[lift][to] = 0;
    }
    delivered[lift] += sum;
    return sum;
}

// False if all have arrived.
static bool wait_for_call(int *seen)
{
    pthread_mutex_lock(&controls.lock);
    while (controls.calls == *seen && controls.arrived < PEOPLE)
        pthread_cond_wait(&controls.changed, &controls.lock);
    *seen = controls.calls;
    bool more = controls.arrived < PEOPLE;
    pthread_mutex_unlock(&controls.lock);
    return more;
}

static void arrive(int people)
{
    pthread_mutex_lock(&controls.lock);
    controls.arrived += people;
#if ERROR != 3
    if (controls.arrived == PEOPLE)
        pthread_cond_broadcast(&controls.changed);
#endif
    pthread_mutex_unlock(&controls.lock);
}

static void *lift(void *argument)
{
    int number = (int)(long)argument, seen = 0;
    while (wait_for_call(&seen))
        for (int i = 0; i < FLOORS; i++) {
            int at = (number + i) % FLOORS;
            if (claim(at)) {
                fetch(number, at);
                arrive(deliver(number));
            }
        }
    return 0;
}

int main(void)
{
    pthread_t lifts[THREADS], buttons;
    for (int i = 0; i < PEOPLE; i++)
        events[i] = (struct event){.from = (FLOORS - 1 - i % FLOORS), .to = i * i % FLOORS};
    for (int i = 0; i < FLOORS - (ERROR == 2); i++)
        pthread_mutex_init(&floor_locks[i], 0);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&lifts[i], 0, lift, (void *)i);
    pthread_create(&buttons, 0, press_all, 0);
    pthread_join(buttons, 0);
    int sum = 0;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(lifts[i], 0);
        sum += delivered[i];
    }
    assert(sum == PEOPLE && controls.arrived == PEOPLE);
    return 0;
}
