// Arrays that are counted from 1, in a table that the input indexes.
unsigned char __VERIFIER_nondet_uchar(void);

static int first[4], second[4];
static int *tables[2] = {first - 1, second - 1};

int main(void)
{
    unsigned char i = __VERIFIER_nondet_uchar() & 1;
    int *table = tables[i];
    table[1] = 7;
    return first[0] + second[0] - 7;
}
