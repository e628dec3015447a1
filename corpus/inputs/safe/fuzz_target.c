// A fuzz target without a main: it gets a buffer of every content.
// options: --input-size 4
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    assert(size <= 4);
    if (size < 2 || data[0] != 'S')
        return 0;
    size_t count = data[1] & 3, sum = 0;
    for (size_t i = 0; i < count && 2 + i < size; i++)
        sum += data[2 + i];
    assert(sum <= 2 * 255);
    return 0;
}
