// words: a x
// Two threads with two locks in opposite orders, which compute while they have one, and for longer and longer before they try again.
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int longest, count;

static void work(int rounds)
{
    for (volatile int i = 0; i < rounds; i++)
        ;
}

static void *add(void *arg)
{
    const int me = *(int *)arg;
    for (int pause = 1;;) {
        pthread_mutex_lock(&locks[me]);
        work(500);
        if (!pthread_mutex_trylock(&locks[!me]))
            break;
        pthread_mutex_unlock(&locks[me]);
        work(50 * pause);
        if (pause < longest)
            pause *= 2;
    }
    count++;
    pthread_mutex_unlock(&locks[!me]);
    pthread_mutex_unlock(&locks[me]);
    return 0;
}

int main(int argc, char **argv)
{
    static int numbers[2] = {0, 1};
    pthread_t threads[2];
    longest = argc > 1 && argv[1][0] == 'x' ? 200 : 20;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, add, &numbers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    printf("%d\n", count);
    return 0;
}
