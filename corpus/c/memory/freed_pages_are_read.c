// After MADV_FREE a page has what it had, or zeros.
#define _GNU_SOURCE
#include <sys/mman.h>

int main(void)
{
    char *page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return 1;
    page[7] = 1;
    madvise(page, 4096, MADV_FREE);
    if (page[7] == 1) // expect: memory.uninitialized
        return 2;
    return 0;
}
