// One thread may be cancelled at any instruction, but only the other one is.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t never;

static void *works(void *arg) {
  int old;
  assert(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old) == 0 && old == PTHREAD_CANCEL_DEFERRED);
  assert(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old) == 0 && old == PTHREAD_CANCEL_ASYNCHRONOUS);
  return arg;
}

static void *waits(void *arg) {
  sem_wait(&never);
  return arg;
}

int main(void) {
  pthread_t a, b;
  void *result;
  sem_init(&never, 0, 0);
  pthread_create(&a, 0, works, 0);
  pthread_create(&b, 0, waits, 0);
  pthread_cancel(b);
  pthread_join(a, &result);
  assert(result == 0);
  pthread_join(b, &result);
  assert(result == PTHREAD_CANCELED);
  return 0;
}
