// Reserved memory is written one byte behind what was opened.
#include <sys/mman.h>

int main(void)
{
    char *arena = mmap(0, 65536, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(arena, 4096, PROT_READ | PROT_WRITE);
    for (int i = 4000; i <= 4096; i++)
        arena[i] = 1; // expect: memory.out-of-bounds
    munmap(arena, 65536);
    return 0;
}
