// K writers in a chain, each of which looks at the cell before its own; a reader goes down the chain as long as it finds something.
// What the reader does not look at decides nothing, so sleep sets block many executions only at their end.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t locks[K + 1];
static int cells[K + 1];

static int get(int i)
{
    pthread_mutex_lock(&locks[i]);
    int value = cells[i];
    pthread_mutex_unlock(&locks[i]);
    return value;
}

static void *write(void *arg)
{
    int i = (int *)arg - cells, before = get(i - 1);
    pthread_mutex_lock(&locks[i]);
    cells[i] = before + 1;
    pthread_mutex_unlock(&locks[i]);
    return 0;
}

static void *read(void *unused)
{
    int i = K;
    while (get(i) != 0)
        i--;
    assert(i >= 0);
    return unused;
}

int main(void)
{
    pthread_t reader, writers[K];
    for (int i = 0; i <= K; i++)
        pthread_mutex_init(&locks[i], 0);
    pthread_create(&reader, 0, read, 0);
    for (int i = 0; i < K; i++)
        pthread_create(&writers[i], 0, write, &cells[i + 1]);
    pthread_join(reader, 0);
    for (int i = 0; i < K; i++)
        pthread_join(writers[i], 0);
    return 0;
}
