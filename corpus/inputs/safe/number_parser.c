// strtol on four bytes of any value, and branches on what it says.
// count(dpor)=41
#include <assert.h>
#include <stdlib.h>

void klee_make_symbolic(void *object, unsigned long size, const char *name);

int main(void)
{
    char text[5];
    klee_make_symbolic(text, 4, "text");
    text[4] = 0;
    char *end;
    long value = strtol(text, &end, 10);
    assert(value > -1000 && value < 10000);
    if (end == text) {
        assert(value == 0);
        return 1;
    }
    if (*end)
        return 2;
    if (value < 0)
        return 3;
    if (value == 1234)
        return 4;
    return 0;
}
