// The same bytes seen as different types.
#include <assert.h>
#include <stdint.h>
#include <string.h>

union view {
    float number;
    uint32_t bits;
    uint8_t bytes[4];
};

int main(void)
{
    union view view = {1.0f};
    assert(view.bits == 0x3f800000 && view.bytes[3] == 0x3f && view.bytes[0] == 0);
    view.bytes[3] = 0x40;
    assert(view.number == 4.0f);
    double d = -2.0;
    uint64_t word;
    memcpy(&word, &d, sizeof d);
    assert(word == 0xc000000000000000);
    int x = 5, *p = &x;
    uintptr_t address = (uintptr_t)p;
    assert(*(int *)(address + 4 - 4) == 5 && (char *)(p + 1) - (char *)p == 4);
    return 0;
}
