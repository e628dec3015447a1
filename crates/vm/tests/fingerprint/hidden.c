// State of models: the random generator, clocks, once, thread-specific data, output.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static void make(void) { pthread_key_create(&key, 0); }
static void *work(void *argument) {
  time_t now = time(0);
  pthread_once(&once, make);
  pthread_setspecific(key, argument);
  printf("%d\n", (int)(now & 1));
  return pthread_getspecific(key);
}
int main(void) {
  pthread_t a, b;
  srand(7);
  pthread_create(&a, 0, work, (void *)1);
  pthread_create(&b, 0, work, (void *)2);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return rand();
}
