// An address beyond its array, computed from the input and kept in memory, never is that of the next array.
unsigned __VERIFIER_nondet_uint(void);

static char first[16], second[16], third[16];
static char *place;

int main(void)
{
    unsigned index = __VERIFIER_nondet_uint();
    if (index < 32 || index >= 40)
        return 0;
    place = first + index;
    *place = 1; // expect: memory.out-of-bounds, memory.invalid-pointer
    return second[0] + third[0];
}
