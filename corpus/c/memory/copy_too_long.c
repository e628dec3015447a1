// strcpy into a buffer that is one byte too small for the terminator.
#include <string.h>

int main(void)
{
    char buffer[5], *volatile target = buffer;
    strcpy(target, "hello"); // expect: memory.out-of-bounds
    return 0;
}
