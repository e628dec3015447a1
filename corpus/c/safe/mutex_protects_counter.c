// n threads add to one counter under one mutex: every order of the n critical sections is a class of its own.
// variant: -DN=2 count(dpor)=2 count(dpor,memory)=2
// variant: -DN=3 count(dpor)=6 count(dpor,memory)=6
// variant: -DN=4 count(dpor)=24
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *add(void *unused)
{
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], 0, add, 0);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    assert(counter == N);
    return 0;
}
