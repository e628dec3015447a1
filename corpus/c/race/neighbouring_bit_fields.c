// Two bit fields of one unit share their memory location.
#include <pthread.h>

static struct {
    unsigned a : 4, b : 4;
} fields;

static void *set_a(void *unused)
{
    fields.a = 1; // expect: data-race
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, set_a, 0);
    fields.b = 2;
    pthread_join(thread, 0);
    return 0;
}
