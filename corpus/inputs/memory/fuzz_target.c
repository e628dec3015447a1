// A fuzz target that trusts the length in its input.
// options: --input-size 4
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2 || data[0] != 'S')
        return 0;
    unsigned sum = 0;
    for (size_t i = 0; i < data[1]; i++)
        sum += data[2 + i]; // expect: memory.out-of-bounds
    return sum == 12345;
}
