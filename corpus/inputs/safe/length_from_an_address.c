// One byte of an address that the input moves is a number, and no address.
#include <stddef.h>
#include <string.h>

unsigned char __VERIFIER_nondet_uchar(void);

static char a[16], table[256];

struct key {
    size_t first;
};

int main(void)
{
    char *place = a + (__VERIFIER_nondet_uchar() & 1);
    struct key key = {*(unsigned char *)&place};
    size_t lengths[1] = {key.first};
    memset(table, 1, lengths[0]);
    return 0;
}
