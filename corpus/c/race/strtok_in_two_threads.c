// strtok keeps its place in one variable for the whole process. (The accesses are in the library.)
// expect-anywhere: data-race
#include <pthread.h>
#include <string.h>

static void *split(void *text)
{
    strtok(text, " ");
    return 0;
}

int main(void)
{
    static char one[] = "a b", other[] = "c d";
    pthread_t thread;
    pthread_create(&thread, 0, split, one);
    split(other);
    pthread_join(thread, 0);
    return 0;
}
