// One thread opens a page, another one uses it without waiting for that: the use may come first.
#include <pthread.h>
#include <sys/mman.h>

static char *page;

static void *use(void *unused)
{
    page[1] = 1; // expect: data-race, memory.out-of-bounds
    return 0;
}

int main(void)
{
    pthread_t thread;
    page = mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_create(&thread, 0, use, 0);
    mprotect(page, 4096, PROT_READ | PROT_WRITE);
    pthread_join(thread, 0);
    return 0;
}
