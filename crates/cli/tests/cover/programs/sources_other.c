#include "sources.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;
char word;

void add(int number) {
    pthread_mutex_lock(&lock);
    count = count * 10 + number;
    pthread_mutex_unlock(&lock);
}

int sum(void) { return count; }
