// A simulator of moving robots that leave a trace of where they were.
//
// Shape: CRE Demo (a simulator whose arrays lie inside of shared collections), in C. Each robot has
// a queue of commands of its own, which only its thread uses, though it is reached through the
// simulation; the log is a vector that grows and the visited places are a hash set, both shared and
// each with a lock; the map of obstacles is two-dimensional and only read.
//
// Sizes: THREADS (2): robots; STEPS of each (2), SIZE of the square map (3).
// Verdict: true. ERROR=1: the set is extended without its lock (data race). ERROR=2: the log does
// not grow when it is full, but one too late (memory error). ERROR=3: log and set are locked in
// both orders (deadlock).
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#ifndef THREADS
#define THREADS 2
#endif
#ifndef STEPS
#define STEPS 2
#endif
#ifndef SIZE
#define SIZE 3
#endif
#ifndef ERROR
#define ERROR 0
#endif

enum { BUCKETS = 2 * (THREADS * STEPS + 1) };
enum command { EAST, NORTH, REST, COMMANDS };

struct vector {
    pthread_mutex_t lock;
    int *items;
    int length, capacity;
};

struct set {
    pthread_mutex_t lock;
    int places[BUCKETS];
    int count;
};

struct robot {
    int x, y, next;
    enum command *commands;
};

struct simulation {
    struct robot *robots[THREADS];
    bool obstacles[SIZE][SIZE];
    struct vector log;
    struct set visited;
};

static struct simulation simulation = {
    .log.lock = PTHREAD_MUTEX_INITIALIZER, .visited.lock = PTHREAD_MUTEX_INITIALIZER};

static void *allocate(size_t size)
{
    void *memory = malloc(size);
    if (!memory)
        abort();
    return memory;
}

static void append(struct vector *vector, int item)
{
    pthread_mutex_lock(&vector->lock);
#if ERROR == 2
    if (vector->length > vector->capacity) {
#else
    if (vector->length == vector->capacity) {
#endif
        int capacity = 1 + 2 * vector->capacity, *items = allocate(capacity * sizeof *items);
        for (int i = 0; i < vector->length; i++)
            items[i] = vector->items[i];
        free(vector->items);
        vector->items = items;
        vector->capacity = capacity;
    }
    vector->items[vector->length++] = item;
    pthread_mutex_unlock(&vector->lock);
}

// Places are numbers above 0; 0 is a free bucket. True if the place is new.
static bool insert(struct set *set, int place)
{
#if ERROR != 1
    pthread_mutex_lock(&set->lock);
#endif
    int bucket = place % BUCKETS;
    while (set->places[bucket] && set->places[bucket] != place)
        bucket = (bucket + 1) % BUCKETS;
    bool new = !set->places[bucket];
    if (new) {
        set->places[bucket] = place;
        set->count++;
#if ERROR == 3
        append(&simulation.log, place);
#endif
    }
#if ERROR != 1
    pthread_mutex_unlock(&set->lock);
#endif
    return new;
}

static void step(struct robot *robot)
{
    int x = robot->x, y = robot->y;
    switch (robot->commands[robot->next++]) {
    case EAST:
        x = (x + 1) % SIZE;
        break;
    case NORTH:
        y = (y + 1) % SIZE;
        break;
    default:
        break;
    }
    if (!simulation.obstacles[x][y]) {
        robot->x = x;
        robot->y = y;
    }
}

// A place is in the set before it is in the log.
static void compare(struct vector *log, struct set *visited)
{
    pthread_mutex_lock(&log->lock);
    pthread_mutex_lock(&visited->lock);
    assert(log->length <= visited->count);
    pthread_mutex_unlock(&visited->lock);
    pthread_mutex_unlock(&log->lock);
}

static void *run(void *argument)
{
    struct robot *robot = simulation.robots[(long)argument];
    while (robot->next < STEPS) {
        step(robot);
        int place = 1 + robot->x * SIZE + robot->y;
        bool new = insert(&simulation.visited, place);
#if ERROR != 3
        if (new)
            append(&simulation.log, place);
#else
        (void)new;
#endif
    }
    compare(&simulation.log, &simulation.visited);
    return 0;
}

static struct robot *new_robot(int number)
{
    struct robot *robot = allocate(sizeof *robot);
    *robot = (struct robot){.x = number % SIZE, .commands = allocate(STEPS * sizeof(enum command))};
    for (int i = 0; i < STEPS; i++)
        robot->commands[i] = (number + i) % COMMANDS;
    return robot;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 1; i < SIZE; i++)
        simulation.obstacles[i][SIZE - i] = true;
    for (int i = 0; i < THREADS; i++)
        simulation.robots[i] = new_robot(i);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, run, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    assert(simulation.log.length == simulation.visited.count && simulation.visited.count > 0);
    for (int i = 0; i < simulation.log.length; i++)
        assert(!insert(&simulation.visited, simulation.log.items[i]));
    for (int i = 0; i < THREADS; i++) {
        free(simulation.robots[i]->commands);
        free(simulation.robots[i]);
    }
    free(simulation.log.items);
    return 0;
}
