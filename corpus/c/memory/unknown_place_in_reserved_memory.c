// Of the places that an unknown number may name, the last one is in a page that is not open.
#include <sys/mman.h>

void klee_make_symbolic(void *address, unsigned long size, const char *name);

int main(void)
{
    unsigned i;
    char *arena = mmap(0, 16384, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(arena + 4096, 4096, PROT_READ | PROT_WRITE);
    klee_make_symbolic(&i, sizeof i, "i");
    if (i >= 8185 && i <= 8192)
        arena[i] = 1; // expect: memory.out-of-bounds
    return 0;
}
