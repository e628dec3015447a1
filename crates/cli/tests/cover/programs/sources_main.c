// words: a x
// Two sources, each with a lock and a counter of its own under the same name.
#include "sources.h"
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *work(void *is_first) {
    const int mine = is_first ? 1 : 2;
    if (word == 'x')
        add(mine);
    pthread_mutex_lock(&lock);
    count = count * 10 + mine;
    pthread_mutex_unlock(&lock);
    add(mine);
    return 0;
}

int main(int argc, char **argv) {
    pthread_t one, other;
    word = argc > 1 ? argv[1][0] : 0;
    pthread_create(&one, 0, work, &one);
    pthread_create(&other, 0, work, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    printf("%d %d\n", count, sum());
    return 0;
}
