// A mapping is gone once it is unmapped.
#include <sys/mman.h>

int main(void)
{
    char *bytes = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bytes[5] = 1;
    munmap(bytes, 4096);
    return bytes[5]; // expect: memory.use-after-free
}
