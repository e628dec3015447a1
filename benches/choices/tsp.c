// The shortest round trip, by branch and bound.
//
// Shape: TSP of pjbench, in C. Distances are a two-dimensional array that is only read after the
// threads have started; partial tours lie in a shared array, and a stack of their indexes is used
// under a lock; the best length is kept under another.
//
// Sizes: THREADS (2), CITIES (3), SPLIT: tours of fewer cities are extended through the stack,
// longer ones by recursion (2).
// Verdict: true. ERROR=1: the best length is tested before its lock is taken (data race). ERROR=2:
// the two locks are taken in both orders (deadlock).
#include <assert.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>

#ifndef THREADS
#define THREADS 2
#endif
#ifndef CITIES
#define CITIES 3
#endif
#ifndef SPLIT
#define SPLIT 2
#endif
#ifndef ERROR
#define ERROR 0
#endif

enum { TOURS = 1 + CITIES * CITIES };

struct tour {
    int cities[CITIES];
    int count, length;
};

static int distances[CITIES][CITIES];
static struct tour tours[TOURS];
static int stack[TOURS], stacked, made, active;
static int best = INT_MAX, improvements[THREADS];
static pthread_mutex_t stack_lock = PTHREAD_MUTEX_INITIALIZER, best_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static bool visited(const struct tour *tour, int city)
{
    for (int i = 0; i < tour->count; i++)
        if (tour->cities[i] == city)
            return true;
    return false;
}

static struct tour extended(const struct tour *tour, int city)
{
    struct tour longer = *tour;
    longer.length += distances[tour->cities[tour->count - 1]][city];
    longer.cities[longer.count++] = city;
    return longer;
}

static void close_tour(int thread, const struct tour *tour)
{
    int length = tour->length + distances[tour->cities[CITIES - 1]][0];
#if ERROR == 1
    if (length >= best)
        return;
#endif
    pthread_mutex_lock(&best_lock);
    if (length < best) {
        best = length;
        improvements[thread]++;
#if ERROR == 2
        pthread_mutex_lock(&stack_lock);
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&stack_lock);
#endif
    }
    pthread_mutex_unlock(&best_lock);
}

static void search(int thread, const struct tour *tour)
{
    if (tour->count == CITIES) {
        close_tour(thread, tour);
        return;
    }
    for (int city = 1; city < CITIES; city++)
        if (!visited(tour, city)) {
            struct tour longer = extended(tour, city);
            search(thread, &longer);
        }
}

static void split(const struct tour *tour)
{
    pthread_mutex_lock(&stack_lock);
    for (int city = 1; city < CITIES; city++)
        if (!visited(tour, city)) {
            assert(made < TOURS);
            tours[made] = extended(tour, city);
            stack[stacked++] = made++;
        }
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&stack_lock);
}

// The index of a tour to go on with, or -1 if there is none and nobody may add one.
static int take(void)
{
    int index = -1;
    pthread_mutex_lock(&stack_lock);
    while (stacked == 0 && active > 0)
        pthread_cond_wait(&changed, &stack_lock);
    if (stacked > 0) {
        index = stack[--stacked];
        active++;
#if ERROR == 2
        pthread_mutex_lock(&best_lock);
        if (tours[index].length > best)
            tours[index].length = best;
        pthread_mutex_unlock(&best_lock);
#endif
    }
    pthread_mutex_unlock(&stack_lock);
    return index;
}

static void *solve(void *argument)
{
    int thread = (int)(long)argument;
    for (int index = take(); index >= 0; index = take()) {
        if (tours[index].count < SPLIT)
            split(&tours[index]);
        else
            search(thread, &tours[index]);
        pthread_mutex_lock(&stack_lock);
        active--;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&stack_lock);
    }
    return 0;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < CITIES; i++)
        for (int j = 0; j < CITIES; j++)
            distances[i][j] = i == j ? 0 : 1 + (i * 3 + j * 5) % 7;
    tours[0].count = 1;
    made = stacked = 1;
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, solve, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    int found = best, sum = 0;
    best = INT_MAX;
    search(0, &tours[0]);
    assert(found == best && stacked == 0 && active == 0);
    for (int i = 0; i < THREADS; i++)
        sum += improvements[i];
    assert(sum > 0);
    return 0;
}
