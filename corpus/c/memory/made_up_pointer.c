// An integer that never was an address.
#include <stdint.h>

int main(void)
{
    volatile uintptr_t number = 0x12345678;
    return *(int *)number & 0; // expect: memory.invalid-pointer
}
