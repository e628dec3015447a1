// The first page of a mapping guards a stack: a write below it is a fault.
#include <sys/mman.h>

int main(void)
{
    char *pages = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(pages, 4096, PROT_NONE);
    for (int i = 8191; i >= 4090; i -= 6)
        pages[i] = 1; // expect: memory.out-of-bounds
    munmap(pages, 8192);
    return 0;
}
