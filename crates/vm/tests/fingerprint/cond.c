// Two waiters, one signal and one broadcast.
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready, seen;
static void *waiter(void *argument) {
  pthread_mutex_lock(&lock);
  while (ready == 0)
    pthread_cond_wait(&cond, &lock);
  seen += (int)(long)argument;
  pthread_mutex_unlock(&lock);
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, waiter, (void *)1);
  pthread_create(&b, 0, waiter, (void *)2);
  pthread_mutex_lock(&lock);
  ready = 1;
  pthread_cond_signal(&cond);
  pthread_mutex_unlock(&lock);
  pthread_cond_broadcast(&cond);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return seen;
}
