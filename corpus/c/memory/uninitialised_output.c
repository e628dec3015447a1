// An undefined value is printed.
#pragma clang diagnostic ignored "-Wuninitialized"
#include <stdio.h>

int main(void)
{
    int x;
    printf("%d\n", x); // expect: memory.uninitialized
    return 0;
}
