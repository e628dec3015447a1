// Two readers of a statically initialised lock are independent; a writer is not.
#include <pthread.h>
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int shared = 3, copies[2];
static void *reader(void *argument) {
  pthread_rwlock_rdlock(&lock);
  copies[(long)argument] = shared;
  pthread_rwlock_unlock(&lock);
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, reader, (void *)0);
  pthread_create(&b, 0, reader, (void *)1);
  pthread_rwlock_wrlock(&lock);
  shared = 4;
  pthread_rwlock_unlock(&lock);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return copies[0] + copies[1];
}
