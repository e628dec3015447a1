// Posts of two threads, which are independent, and waits.
#include <pthread.h>
#include <semaphore.h>
static sem_t sem, other;
static void *post(void *argument) {
  sem_post(&sem);
  sem_post(argument ? &sem : &other);
  return 0;
}
int main(void) {
  pthread_t a, b;
  sem_init(&sem, 0, 1);
  sem_init(&other, 0, 0);
  pthread_create(&a, 0, post, (void *)1);
  pthread_create(&b, 0, post, 0);
  sem_wait(&sem);
  sem_wait(&sem);
  pthread_join(a, 0);
  pthread_join(b, 0);
  sem_destroy(&other);
  sem_init(&other, 0, 3);
  return 0;
}
