// An initialiser adds a number to an address that was made a number before. That is arithmetic.
#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

static char a[16];
static uintptr_t limit = (uintptr_t)a + 0x1000;
static atomic_uintptr_t place = (uintptr_t)a + 0x1000;

int main(void)
{
    char text[32];
    snprintf(text, sizeof text, "%lx", (unsigned long)limit);
    assert(limit % 16 == (uintptr_t)a % 16);
    atomic_fetch_sub(&place, 0x1000);
    *(char *)place = 1;
    return a[0] - 1;
}
