// One thread waits for a plain variable. The exploration does not follow it to the step limit.
#include <pthread.h>

static volatile int ready[2];
static int data;

static void *produce(void *unused)
{
    data = 1;
    ready[1] = 1; // expect: data-race
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, produce, 0);
    for (;;) {
        int set = 0;
        for (int i = 0; i < 2; i++)
            set += ready[i]; // expect: data-race
        if (set)
            break;
    }
    pthread_join(thread, 0);
    return data;
}
