// Threads created by several threads: their names do not depend on the order.
#include <pthread.h>
static int total[3];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread int own = 5;
static void *leaf(void *argument) {
  int *place = argument;
  pthread_mutex_lock(&lock);
  *place += ++own;
  pthread_mutex_unlock(&lock);
  return 0;
}
static void *middle(void *argument) {
  pthread_t t;
  pthread_create(&t, 0, leaf, argument);
  pthread_join(t, 0);
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, middle, &total[1]);
  pthread_create(&b, 0, middle, &total[2]);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return total[1];
}
