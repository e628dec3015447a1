// What mmap gave is not for free.
#include <stdlib.h>
#include <sys/mman.h>

int main(void)
{
    void *memory = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    free(memory); // expect: memory.invalid-free
    return 0;
}
