// Bytes that are partly undefined, large objects, zeroed objects, blocks that are left and entered again.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
struct bits { unsigned a : 3, b : 7, c : 1; };
struct wide { char c; long l; short s; };
static struct wide shared[2];
static void *work(void *argument) {
  long i = (long)argument;
  struct bits *bits = malloc(sizeof *bits);
  bits->b = (unsigned)i;
  struct wide w;
  w.c = (char)i;
  w.s = 2;
  shared[i] = w;
  char *page = calloc(3, 5000);
  memset(page + 100, (int)i, 4200);
  for (int k = 0; k < 3; k++) {
    char block[5000];
    memset(block + k, k, 70);
    page[k] = block[k + 1];
  }
  bits->a = 5;
  if (i)
    free(page);
  return bits;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, work, (void *)0);
  pthread_create(&b, 0, work, (void *)1);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
