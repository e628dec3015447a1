// Six bytes arrive where four fit.
#include <unistd.h>

int main(void)
{
    int ends[2];
    char small[4];
    pipe(ends);
    write(ends[1], "abcdef", 6);
    return read(ends[0], small, 6) != 6; // expect: memory.out-of-bounds
}
