// A server: requests of one byte each come from standard input, and go to two workers through a bounded queue, until the input
// ends.
//
//     selvedge cover examples/served.c --symbolic-requests 1 --show -o served.set
//     selvedge build examples/served.c --schedules served.set -o served
//     printf 'abcab' | SELVEDGE_ORDER=order ./served; cat order
//
// What to see: a few schedules are enough for any number of requests, since the program's state returns. Each is for what happens
// from one request to the next. The built program keeps to them for as long as requests come.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { SLOTS = 2, WORKERS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER, room = PTHREAD_COND_INITIALIZER;
static char slots[SLOTS];
static int begin, used, ended;
static pthread_mutex_t output = PTHREAD_MUTEX_INITIALIZER;

static void put(char request) {
    pthread_mutex_lock(&lock);
    while (used == SLOTS)
        pthread_cond_wait(&room, &lock);
    slots[(begin + used++) % SLOTS] = request;
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&lock);
}

static int take(char *request) {
    pthread_mutex_lock(&lock);
    while (!used && !ended)
        pthread_cond_wait(&more, &lock);
    int found = used > 0;
    if (found) {
        *request = slots[begin];
        slots[begin] = 0;
        begin = (begin + 1) % SLOTS;
        used--;
        pthread_cond_signal(&room);
    }
    pthread_mutex_unlock(&lock);
    return found;
}

static void *worker(void *argument) {
    char request;
    while (take(&request)) {
        if (request == 'a') {
            pthread_mutex_lock(&output);
            puts("an a was served");
            pthread_mutex_unlock(&output);
        }
        request = 0;
    }
    return argument;
}

int main(void) {
    pthread_t workers[WORKERS];
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], NULL, worker, NULL);
    char request;
    while (read(0, &request, 1) == 1)
        put(request);
    request = 0;
    pthread_mutex_lock(&lock);
    ended = 1;
    pthread_cond_broadcast(&more);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    return 0;
}
