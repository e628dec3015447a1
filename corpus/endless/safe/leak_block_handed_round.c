// One block goes from thread to thread for ever; between two steps only a variable points to it.
// options: --property memory,leak
#include <pthread.h>
#include <stdlib.h>

static char *place;
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
        char *held = place;
        place = 0;
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
        place = held;
        held = 0;
        turn = !mine;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

int main(void)
{
    pthread_t other;
    place = malloc(10);
    pthread_create(&other, 0, play, &other);
    play(0);
    return 0;
}
