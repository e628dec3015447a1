// A list on the heap under a mutex, recursion, arrays on the stack, calls that return.
#include <pthread.h>
#include <stdlib.h>
struct node { struct node *next; int value; };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *list;
static int sum(const struct node *n) { return n ? n->value + sum(n->next) : 0; }
static int mix(int x) {
  int table[6];
  for (int i = 0; i < 6; i++)
    table[i] = x * i;
  return table[x % 6] + (int[4]){1, x, 3, 4}[x % 4];
}
static void *push(void *argument) {
  struct node *n = malloc(sizeof *n);
  n->value = mix((int)(long)argument);
  pthread_mutex_lock(&lock);
  n->next = list;
  list = n;
  pthread_mutex_unlock(&lock);
  return (void *)(long)mix(3);
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, push, (void *)1);
  pthread_create(&b, 0, push, (void *)2);
  pthread_join(a, 0);
  pthread_join(b, 0);
  int total = sum(list);
  while (list) {
    struct node *n = list;
    list = n->next;
    free(n);
  }
  return total;
}
