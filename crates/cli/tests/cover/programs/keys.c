// words: a x
// Thread-specific data: destructors take a lock, the second round of them, too. Names, and a thread that cannot be cancelled.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t first, second;
static char order[16];
static int again;

static void append(char c) {
    pthread_mutex_lock(&m);
    order[strlen(order)] = c;
    pthread_mutex_unlock(&m);
}

static void of_first(void *value) {
    append(*(char *)value);
}

static void of_second(void *value) {
    append('2');
    if (again++ == 0)
        pthread_setspecific(first, value);
}

static void *works(void *arg) {
    int old;
    char name[16];
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    pthread_setname_np(pthread_self(), "worker");
    pthread_getname_np(pthread_self(), name, sizeof name);
    pthread_setspecific(first, "1");
    if (pthread_getspecific(second) == 0 && strcmp(name, "worker") == 0)
        pthread_setspecific(second, arg);
    pthread_testcancel();
    return 0;
}

int main(int argc, char **argv) {
    pthread_t t;
    if (argc < 2)
        return 1;
    pthread_key_create(&first, of_first);
    pthread_key_create(&second, of_second);
    pthread_create(&t, 0, works, argv[1][0] == 'x' ? "x" : 0);
    append('m');
    pthread_join(t, 0);
    pthread_key_delete(first);
    printf("%s\n", order);
    return strlen(order) != (argv[1][0] == 'x' ? 4 : 2);
}
