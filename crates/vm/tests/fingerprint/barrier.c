// Leaving a barrier is independent of leaving it and of arriving at its next round.
#include <pthread.h>
static pthread_barrier_t barrier;
static int values[2];
static void *meet(void *argument) {
  values[(long)argument]++;
  pthread_barrier_wait(&barrier);
  values[(long)argument]++;
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_barrier_init(&barrier, 0, 2);
  pthread_create(&a, 0, meet, (void *)0);
  pthread_create(&b, 0, meet, (void *)1);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return values[0];
}
