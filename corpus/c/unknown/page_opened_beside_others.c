// Whether the call changes the page depends on the order of threads, which nobody explores.
// unknown: mprotect that does not change all of its pages, beside other threads
#include <pthread.h>
#include <sys/mman.h>

static char *page;

static void *open_page(void *unused)
{
    mprotect(page, 4096, PROT_READ | PROT_WRITE);
    return unused;
}

int main(void)
{
    pthread_t thread;
    page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_create(&thread, 0, open_page, 0);
    pthread_join(thread, 0);
    return 0;
}
