// Reads and writes that are not one step: the last write wins. Bytes of one word are independent.
#include <pthread.h>
#include <stdatomic.h>
static atomic_int counter;
static atomic_char bytes[4];
static void *add(void *argument) {
  int old = atomic_load(&counter);
  atomic_store(&bytes[(long)argument], 7);
  atomic_store(&counter, old + (int)(long)argument);
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, add, (void *)1);
  pthread_create(&b, 0, add, (void *)2);
  atomic_fetch_add(&counter, 10);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return counter;
}
