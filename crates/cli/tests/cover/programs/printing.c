// words: a x
// Threads that print, and draw random numbers, without a lock between them.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int more;
static void *work(void *number) {
    for (int i = 0; i < 2 + more; i++)
        printf("%ld: %d\n", (long)number, i);
    if (number)
        putchar('!');
    fprintf(stdout, "%d\n", rand() % 1000);
    fflush(stdout);
    if (write(1, "end\n", 4) != 4)
        abort();
    return 0;
}
int main(int argc, char **argv) {
    pthread_t t[2];
    more = argv[1][0] == 'x';
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], 0, work, (void *)i);
    puts("main");
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return 0;
}
