// words: a r w
// Read-write locks, spin locks, a routine that runs once, and threads that nobody joins.
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t ended;
static int value, seen[3], passes, began;
static char in;

static void begin(void) { began++; value = 1; }

static void *work(void *arg) {
    int me = *(int *)arg;
    pthread_once(&once, begin);
    if (me == 1)
        pthread_detach(pthread_self());
    if (in == 'w' && me == 0) {
        pthread_rwlock_wrlock(&table);
        value *= 5;
        pthread_rwlock_unlock(&table);
    }
    if (in != 'r' || pthread_rwlock_tryrdlock(&table) == 0) {
        if (in != 'r')
            pthread_rwlock_rdlock(&table);
        seen[me] = value;
        pthread_rwlock_unlock(&table);
    }
    if (pthread_rwlock_trywrlock(&table) == 0) {
        value += me + 1;
        pthread_rwlock_unlock(&table);
    }
    pthread_spin_lock(&spin);
    passes = passes * 3 + me;
    pthread_spin_unlock(&spin);
    sem_post(&ended);
    return 0;
}

int main(int argc, char **argv) {
    pthread_t t[3];
    int ids[3] = {0, 1, 2};
    pthread_attr_t detached;
    in = argc > 1 ? argv[1][0] : 0;
    sem_init(&ended, 0, 0);
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    pthread_create(&t[0], 0, work, &ids[0]);
    pthread_create(&t[1], 0, work, &ids[1]);
    pthread_create(&t[2], &detached, work, &ids[2]);
    pthread_detach(t[0]);
    for (int i = 0; i < 3; i++)
        sem_wait(&ended);
    printf("%d %d %d %d %d %d\n", value, seen[0], seen[1], seen[2], passes, began);
    return 0;
}
