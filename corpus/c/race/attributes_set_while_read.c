// The creation of a thread reads all of its attributes, and another thread sets one of them.
//
// variant: -DSET=pthread_attr_setstacksize
// variant: -DSET=pthread_attr_setguardsize
#include <pthread.h>

static pthread_attr_t attributes;

static void *nothing(void *unused) { return unused; }

static void *change(void *unused)
{
    SET(&attributes, 1 << 20); // expect: data-race
    return unused;
}

int main(void)
{
    pthread_t changes, made;
    pthread_attr_init(&attributes);
    pthread_create(&changes, 0, change, 0);
    pthread_create(&made, &attributes, nothing, 0);
    pthread_join(changes, 0);
    pthread_join(made, 0);
    return 0;
}
