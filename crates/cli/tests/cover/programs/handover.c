// words: a n q
// Semaphores, a tried lock and a barrier, in an object on the heap; input decides twice.
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
struct job { pthread_mutex_t lock; sem_t ready; pthread_barrier_t all; int sum; char in; int serial[3]; };

struct who { struct job *j; int k; };
static void *work(void *arg) {
    struct who *w = arg;
    struct job *j = w->j;
    sem_wait(&j->ready);
    if (pthread_mutex_trylock(&j->lock) == 0) {
        j->sum = j->sum * 3 + w->k;
        pthread_mutex_unlock(&j->lock);
    }
    if (j->in > 'm') { pthread_mutex_lock(&j->lock); j->sum += 100; pthread_mutex_unlock(&j->lock); }
    int r = pthread_barrier_wait(&j->all);
    j->serial[w->k] = r == PTHREAD_BARRIER_SERIAL_THREAD;
    return 0;
}
int main(int argc, char **argv) {
    struct job *j = malloc(sizeof *j);
    pthread_mutex_init(&j->lock, 0);
    sem_init(&j->ready, 0, 0);
    pthread_barrier_init(&j->all, 0, 3);
    j->sum = 1; j->in = argc > 1 ? argv[1][0] : 0;
    pthread_t t[2]; struct who w[2] = {{j, 1}, {j, 2}};
    for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, work, &w[i]);
    sem_post(&j->ready);
    if (j->in == 'q') { pthread_mutex_lock(&j->lock); j->sum += 7; pthread_mutex_unlock(&j->lock); }
    sem_post(&j->ready);
    j->serial[0] = pthread_barrier_wait(&j->all) == PTHREAD_BARRIER_SERIAL_THREAD;
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    printf("%d %d%d%d\n", j->sum, j->serial[0], j->serial[1], j->serial[2]);
    pthread_barrier_destroy(&j->all); sem_destroy(&j->ready); pthread_mutex_destroy(&j->lock);
    free(j);
    return 0;
}
