// A parallel scanner of files, which lie in memory: the main thread puts their numbers into a bounded queue, WORKERS threads take
// them, count a word, add to totals under locks, and report each file that has one.
#include <assert.h>
#include <pthread.h>
#include <string.h>

#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef FILES
#define FILES 4
#endif
#define ROOM 2

static const char *const files[] = {
    "the quick brown fox", "jumps over the lazy dog over the fence", "nothing here", "the end of the list",
    "a note", "then and there",
};
static const char word[] = "the";

static struct {
    pthread_mutex_t lock;
    pthread_cond_t not_empty, not_full;
    int entries[ROOM];
    int first, count, closed;
} queue = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, {0}, 0, 0, 0};

static pthread_mutex_t totals_lock = PTHREAD_MUTEX_INITIALIZER, output_lock = PTHREAD_MUTEX_INITIALIZER;
static long matches, bytes, scanned;
static int reported[FILES], reports;

static void put(int file)
{
    pthread_mutex_lock(&queue.lock);
    while (queue.count == ROOM)
        pthread_cond_wait(&queue.not_full, &queue.lock);
    queue.entries[(queue.first + queue.count++) % ROOM] = file;
    pthread_cond_signal(&queue.not_empty);
    pthread_mutex_unlock(&queue.lock);
}

static int get(void)
{
    int file = -1;
    pthread_mutex_lock(&queue.lock);
    while (queue.count == 0 && !queue.closed)
        pthread_cond_wait(&queue.not_empty, &queue.lock);
    if (queue.count) {
        file = queue.entries[queue.first];
        queue.first = (queue.first + 1) % ROOM;
        queue.count--;
        pthread_cond_signal(&queue.not_full);
    }
    pthread_mutex_unlock(&queue.lock);
    return file;
}

static int scan(const char *text)
{
    int found = 0;
    for (const char *at = text; *at; at++)
        if (strncmp(at, word, sizeof word - 1) == 0)
            found++;
    return found;
}

static void *work(void *unused)
{
    for (int file; (file = get()) >= 0;) {
        const char *text = files[file];
        int found = scan(text);
        assert(found >= 0);
        pthread_mutex_lock(&totals_lock);
        matches += found;
        bytes += (long)strlen(text);
        scanned++;
        pthread_mutex_unlock(&totals_lock);
        if (found) {
            pthread_mutex_lock(&output_lock);
            reported[reports++ % FILES] = file;
            pthread_mutex_unlock(&output_lock);
        }
    }
    return unused;
}

int main(void)
{
    pthread_t threads[WORKERS];
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < FILES; i++)
        put(i);
    pthread_mutex_lock(&queue.lock);
    queue.closed = 1;
    pthread_cond_broadcast(&queue.not_empty);
    pthread_mutex_unlock(&queue.lock);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], 0);
    return 0;
}
