// Some calls refuse the clock at once, and some only where they would wait.
// unknown: a deadline by another clock than CLOCK_REALTIME and CLOCK_MONOTONIC
// variant: -DPOSTED
// variant: -DLOCKS
// variant: -DREADS
// variant: -DWAITS
// variant: -DJOINS
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
sem_t s;

static void *nothing(void *arg) { return arg; }

int main(void) {
  struct timespec t = {1, 0};
#if defined(LOCKS)
  pthread_mutex_clocklock(&m, CLOCK_PROCESS_CPUTIME_ID, &t);
#elif defined(READS)
  pthread_rwlock_clockrdlock(&l, CLOCK_BOOTTIME, &t);
#elif defined(WAITS)
  pthread_mutex_lock(&m);
  pthread_cond_clockwait(&c, &m, CLOCK_TAI, &t);
#elif defined(JOINS)
  pthread_t a;
  pthread_create(&a, 0, nothing, 0);
  pthread_clockjoin_np(a, 0, CLOCK_PROCESS_CPUTIME_ID, &t);
#else
  sem_init(&s, 0, 1);
  sem_clockwait(&s, CLOCK_PROCESS_CPUTIME_ID, &t);
#endif
  (void)nothing;
  return 0;
}
