// A thread that holds the lock runs with the priority of those that wait. Any order of them is
// explored anyway.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock;
static int sum;

static void *add(void *amount) {
  pthread_mutex_lock(&lock);
  sum += *(int *)amount;
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_mutexattr_t attr;
  int protocol;
  pthread_mutexattr_init(&attr);
  assert(pthread_mutexattr_getprotocol(&attr, &protocol) == 0 && protocol == PTHREAD_PRIO_NONE);
  assert(pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT) == 0);
  assert(pthread_mutexattr_getprotocol(&attr, &protocol) == 0 && protocol == PTHREAD_PRIO_INHERIT);
  assert(pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK) == 0);
  assert(pthread_mutexattr_getprotocol(&attr, &protocol) == 0 && protocol == PTHREAD_PRIO_INHERIT);
  assert(pthread_mutex_init(&lock, &attr) == 0);
  pthread_mutexattr_destroy(&attr);
  pthread_t a, b;
  int one = 1, two = 2;
  pthread_create(&a, 0, add, &one);
  pthread_create(&b, 0, add, &two);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(sum == 3);
  pthread_mutex_destroy(&lock);
  return 0;
}
