// Memory from the system: zeros, whole pages, given back as a whole. One thread maps, the other unmaps.
#include <assert.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>

static void *use(void *mapping)
{
    int *numbers = mapping;
    assert(numbers[0] == 1 && numbers[2047] == 0);
    assert(munmap(mapping, 8192) == 0);
    return 0;
}

int main(void)
{
    pthread_t thread;
    struct rlimit limit;
    int *numbers = mmap(0, 8000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(numbers != MAP_FAILED && (unsigned long)numbers % 4096 == 0);
    assert(madvise(numbers, 8000, MADV_WILLNEED) == 0);
    numbers[0] = 1;
    pthread_create(&thread, 0, use, numbers);
    assert(mmap(0, 0, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
    assert(getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur > 8);
    pthread_join(thread, 0);
    return 0;
}
