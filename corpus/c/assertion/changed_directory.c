// The working directory belongs to the process: a thread that changes it moves the other one's relative paths.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

static void *change(void *unused)
{
    chdir("below");
    return unused;
}

int main(void)
{
    pthread_t thread;
    mkdir("below", 0700);
    int here = open(".", O_RDONLY | O_DIRECTORY);
    pthread_create(&thread, NULL, change, NULL);
    int made = openat(here, "a", O_CREAT | O_WRONLY, 0600);
    assert(made >= 0 && faccessat(here, "a", F_OK, 0) == 0);
    creat("b", 0600);
    assert(faccessat(here, "b", F_OK, 0) == 0); // expect: assertion
    pthread_join(thread, NULL);
    return 0;
}
