// memcpy where memmove is needed.
#include <string.h>

int main(void)
{
    char text[16] = "0123456789";
    volatile size_t length = 8;
    memcpy(text + 2, text, length); // expect: memory.overlapping-copy
    return 0;
}
