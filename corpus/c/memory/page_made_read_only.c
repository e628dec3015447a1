// A page is only read after mprotect, except by a copy that begins in the page before it.
#include <string.h>
#include <sys/mman.h>

int main(void)
{
    char *pages = mmap(0, 12288, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pages[5000] = 1;
    mprotect(pages + 4096, 4096, PROT_READ);
    memset(pages, pages[5000], 4096);
    pages[8192] = 1;
    memset(pages + 4090, 0, 7); // expect: memory.out-of-bounds
    return 0;
}
