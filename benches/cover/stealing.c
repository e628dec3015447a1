// A work-stealing loop: each thread has a queue of tasks under a lock of its own, takes the newest of it, and steals the oldest
// of another one when its own is empty. It ends where all are. The letter says how the tasks are spread at first.
#include "common.h"
#ifndef WORK
#define WORK 2000
#endif
#define TASKS (2 * THREADS)
static struct queue {
    pthread_mutex_t lock;
    int first, last, tasks[TASKS];
} queues[THREADS];
static unsigned results[TASKS];

// The number of a task, or -1.
static int take(struct queue *queue, int oldest) {
    int task = -1;
    pthread_mutex_lock(&queue->lock);
    if (queue->first < queue->last)
        task = oldest ? queue->tasks[queue->first++] : queue->tasks[--queue->last];
    pthread_mutex_unlock(&queue->lock);
    return task;
}

static int next_task(int me) {
    int task = take(&queues[me], 0);
    for (int i = 1; i < THREADS && task < 0; i++)
        task = take(&queues[(me + i) % THREADS], 1);
    return task;
}

static void *work(void *arg) {
    int me = *(int *)arg;
    for (int task = next_task(me); task >= 0; task = next_task(me)) {
        unsigned seed = (unsigned)task, sum = 0;
        for (int i = 0; i < WORK; i++)
            sum += next_random(&seed) % 7;
        results[task] = sum;
    }
    return 0;
}

int main(int argc, char **argv) {
    // Even, or all with the first thread, or all but with the last one.
    char how = argc > 1 ? argv[1][0] : 0;
    for (int i = 0; i < THREADS; i++)
        pthread_mutex_init(&queues[i].lock, 0);
    for (int task = 0; task < TASKS; task++) {
        int whose = how == 'f' ? 0 : how == 'l' ? task % (THREADS - 1) : task % THREADS;
        queues[whose].tasks[queues[whose].last++] = task;
    }
    in_all_threads(work);
    unsigned sum = 0;
    for (int task = 0; task < TASKS; task++)
        sum += results[task];
    printf("%u\n", sum);
    return 0;
}
