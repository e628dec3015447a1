// A worker that gets a word from main, letter by letter, and counts the vowels in it under a lock that main needs, too.
//
//     selvedge cover examples/covered.c --symbolic-args 1:1 --show -o covered.set
//     selvedge build examples/covered.c --schedules covered.set -o covered
//     SELVEDGE_ORDER=order ./covered a; cat order
//
// What to see: three schedules are enough for all words of at most one letter: a vowel, another letter, none. The built program
// does what its input's schedule says, each time; the order that a run has had is in the file. With 1:2 there are seven.
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, count_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static char letter;
static int full, closed, vowels;

static void *count(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        while (!full && !closed)
            pthread_cond_wait(&changed, &lock);
        if (!full)
            break;
        char taken = letter;
        full = 0;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
        if (taken == 'a' || taken == 'e' || taken == 'i' || taken == 'o' || taken == 'u') {
            pthread_mutex_lock(&count_lock);
            vowels++;
            pthread_mutex_unlock(&count_lock);
        }
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t worker;
    pthread_create(&worker, 0, count, 0);
    for (const char *next = argc > 1 ? argv[1] : ""; *next; next++) {
        pthread_mutex_lock(&lock);
        while (full)
            pthread_cond_wait(&changed, &lock);
        letter = *next;
        full = 1;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    closed = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&count_lock);
    printf("%d so far\n", vowels);
    pthread_mutex_unlock(&count_lock);
    pthread_join(worker, 0);
    printf("%d vowels\n", vowels);
    return 0;
}
