// Different members of a union are the same bytes; here they overlap in one byte only.
#include <pthread.h>
#include <stdint.h>

static union {
    struct {
        uint8_t head, tail[3];
    } parts;
    uint16_t low;
} view;

static void *set_tail(void *unused)
{
    view.parts.tail[0] = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, set_tail, 0);
    view.low = 2; // expect: data-race
    pthread_join(thread, 0);
    return 0;
}
