// Memory that is reserved without access and opened piece by piece, as allocators do, by two threads under a lock.
// What is discarded is zero again, also in a page that was closed meanwhile.
#include <assert.h>
#include <pthread.h>
#include <sys/mman.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *arena;
static int opened;

static char *open_page(void)
{
    pthread_mutex_lock(&lock);
    char *page = arena + 4096 * opened++;
    assert(mprotect(page, 4096, PROT_READ | PROT_WRITE) == 0);
    pthread_mutex_unlock(&lock);
    return page;
}

static void *use(void *unused)
{
    char *page = open_page();
    assert(page[0] == 0);
    page[4095] = 1;
    return 0;
}

int main(void)
{
    pthread_t thread;
    arena = mmap(0, 65536, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert(arena != MAP_FAILED);
    pthread_create(&thread, 0, use, 0);
    use(0);
    pthread_join(thread, 0);
    assert(arena[4095] == 1 && arena[8191] == 1);
    assert(mprotect(arena, 4096, PROT_READ) == 0);
    assert(arena[4095] == 1 && madvise(arena, 4096, MADV_DONTNEED) == 0 && arena[4095] == 0);
    assert(arena[8191] == 1 && mprotect(arena + 4096, 4096, PROT_NONE) == 0);
    assert(madvise(arena + 4096, 8192, MADV_DONTNEED) == 0);
    assert(mprotect(arena, 8192, PROT_READ | PROT_WRITE) == 0 && arena[8191] == 0);
    arena[0] = 1;
    assert(munmap(arena, 65536) == 0);
    return 0;
}
