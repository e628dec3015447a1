// Looks for a word in files: one thread puts them into a bounded queue, THREADS others scan them, and take a lock where they find
// something. As pfscan. A letter of the argument stands for a file: `x` has the word, the argument's length is how many there are.
#include "common.h"
#include <string.h>
#ifndef BYTES
#define BYTES 2000
#endif
#define ROOM 2
static char queue[ROOM];
static int head, tail, done, found, scanned;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, output = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;

static void enqueue(char file) {
    pthread_mutex_lock(&lock);
    while (tail - head == ROOM)
        pthread_cond_wait(&emptied, &lock);
    queue[tail++ % ROOM] = file;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
}

static int dequeue(char *file) {
    pthread_mutex_lock(&lock);
    while (tail == head && !done)
        pthread_cond_wait(&filled, &lock);
    int more = tail != head;
    if (more) {
        *file = queue[head++ % ROOM];
        pthread_cond_signal(&emptied);
    }
    pthread_mutex_unlock(&lock);
    return more;
}

// The contents are the same for all files, but for the word.
static int scan(char file) {
    static const char word[] = "needle";
    unsigned seed = 1, matched = 0;
    for (int i = 0; i < BYTES; i++) {
        char letter = (char)('a' + next_random(&seed) % 26);
        matched = letter == word[matched] ? matched + 1 : letter == word[0];
        if (matched == sizeof word - 1)
            return 1;
    }
    return file == 'x';
}

static void *work(void *arg) {
    char file;
    while (dequeue(&file))
        if (scan(file)) {
            pthread_mutex_lock(&output);
            found++;
            pthread_mutex_unlock(&output);
        }
    return arg;
}

int main(int argc, char **argv) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, work, 0);
    if (argc > 1)
        for (const char *file = argv[1]; *file; file++)
            enqueue(*file), scanned++;
    pthread_mutex_lock(&lock);
    done = 1;
    pthread_cond_broadcast(&filled);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    printf("%d %d\n", scanned, found);
    return 0;
}
