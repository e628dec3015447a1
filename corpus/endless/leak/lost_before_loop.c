// Two threads that hand over to each other for ever; one has lost a block before.
// options: --property leak
#include <pthread.h>
#include <stdlib.h>

static int turn;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *play(void *number)
{
    int mine = number != 0;
    for (;;) {
        pthread_mutex_lock(&lock);
        while (turn != mine)
            pthread_cond_wait(&changed, &lock);
        turn = !mine;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

int main(void)
{
    pthread_t other;
    char *text = malloc(10); // expect: memory.leak
    text[0] = 0;
    text = malloc(20);
    text[0] = 0;
    pthread_create(&other, 0, play, text);
    play(0);
    return text[0];
}
