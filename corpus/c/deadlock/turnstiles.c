// A barrier for many rounds out of two turnstiles (Downey, The Little Book of Semaphores). FAULT: who passes the first one does not let the next one pass.
// variant: -DFAULT=0 verdict(verified)
// variant: -DFAULT=1
// expect-anywhere: deadlock
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t lock, in, out;
static int inside, rounds[2];

static void *go_round(void *number)
{
    int *round = number;
    for (int i = 0; i < 2; i++) {
        sem_wait(&lock);
        if (++inside == 2) {
            sem_wait(&out);
            sem_post(&in);
        }
        sem_post(&lock);
        sem_wait(&in);
        if (!FAULT)
            sem_post(&in);
        *round = i;
        sem_wait(&lock);
        if (--inside == 0) {
            sem_wait(&in);
            sem_post(&out);
        }
        sem_post(&lock);
        sem_wait(&out);
        sem_post(&out);
        assert(*round == i);
    }
    return 0;
}

int main(void)
{
    pthread_t one, other;
    sem_init(&lock, 0, 1);
    sem_init(&in, 0, 0);
    sem_init(&out, 0, 1);
    pthread_create(&one, 0, go_round, &rounds[0]);
    pthread_create(&other, 0, go_round, &rounds[1]);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
