// The request comes before the type is set, while it is, or after it has been set back.
// unknown: cancelling a thread whose cancellation is asynchronous
// variant: -DENDS
// variant: -DENDLESS
#include <pthread.h>

static void *works(void *arg) {
  int old;
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
#ifdef ENDLESS
  for (;;)
    ;
#endif
  pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old);
  return arg;
}

int main(void) {
  pthread_t a;
  pthread_create(&a, 0, works, 0);
  pthread_cancel(a);
  pthread_join(a, 0);
  return 0;
}
