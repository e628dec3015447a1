// words: a x
// Destructors of keys that set their values again: four rounds, in the order of the keys, and what is left then is not destroyed.
#include <pthread.h>
#include <stdio.h>
#include <string.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t first, second;
static char order[16];

static void again(pthread_key_t key, void *value) {
    pthread_mutex_lock(&m);
    order[strlen(order)] = *(char *)value;
    pthread_mutex_unlock(&m);
    pthread_setspecific(key, value);
}

static void of_first(void *value) {
    again(first, value);
}

static void of_second(void *value) {
    again(second, value);
}

static void *works(void *arg) {
    pthread_setspecific(first, "1");
    if (arg)
        pthread_setspecific(second, arg);
    return 0;
}

int main(int argc, char **argv) {
    pthread_t t;
    if (argc < 2)
        return 1;
    pthread_key_create(&first, of_first);
    pthread_key_create(&second, of_second);
    pthread_create(&t, 0, works, argv[1][0] == 'x' ? "2" : 0);
    pthread_join(t, 0);
    printf("%s\n", order);
    return strcmp(order, argv[1][0] == 'x' ? "12121212" : "1111") != 0;
}
