// An access through a member of a null structure: a small address, no object.
#include <stddef.h>

struct big {
    char space[100];
    int member;
};

int main(void)
{
    struct big *volatile nothing = NULL;
    nothing->member = 1; // expect: memory.null-dereference, memory.invalid-pointer
    return 0;
}
