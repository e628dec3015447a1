// A thread that is at fault and parked, one that is detached, one that is cancelled, and a lock that stays held.
#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int turn;
static void *bad(void *argument) {
  pthread_mutex_lock(&lock);
  if (atomic_fetch_add(&turn, 1) == 1)
    *(volatile int *)argument = 1;
  pthread_mutex_unlock(&lock);
  return 0;
}
static void *waits(void *argument) {
  pthread_testcancel();
  atomic_fetch_add(&turn, 1);
  return argument;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, bad, 0);
  pthread_create(&b, 0, waits, 0);
  pthread_detach(a);
  pthread_cancel(b);
  pthread_join(b, 0);
  return turn;
}
