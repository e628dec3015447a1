// Pages that the system may take are written before they are read again. A query for barriers of
// all threads.
#define _GNU_SOURCE
#include <assert.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
    char *pages = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        return 1;
    pages[0] = 1;
    pages[4096] = 2;
    assert(madvise(pages, 4096, MADV_FREE) == 0);
    pages[0] = 3;
    assert(pages[0] == 3 && pages[4096] == 2);
    assert(syscall(SYS_membarrier, 0, 0, 0) >= 0);
    return 0;
}
