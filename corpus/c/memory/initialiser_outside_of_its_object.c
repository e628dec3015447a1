// An address in an initialiser that is outside of its object is never one of another object.
// variant: -DHOW=0
// variant: -DHOW=1
// expect-anywhere: memory.out-of-bounds, memory.invalid-pointer
static char a[16], b[16];

struct place {
    int number;
    char *at;
};

int main(void)
{
#if HOW == 0
    static char *outside = a + 32;
#else
    static struct place there = {1, a + 32};
    char *outside = there.at;
#endif
    *outside = 1;
    return b[0];
}
