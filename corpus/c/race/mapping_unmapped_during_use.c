// Unmapping counts as a write of all that was mapped.
#include <pthread.h>
#include <sys/mman.h>

static int *numbers;

static void *use(void *unused)
{
    numbers[3] = 1; // expect: data-race, memory.use-after-free
    return unused;
}

int main(void)
{
    pthread_t thread;
    numbers = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_create(&thread, 0, use, 0);
    munmap(numbers, 4096);
    pthread_join(thread, 0);
    return 0;
}
