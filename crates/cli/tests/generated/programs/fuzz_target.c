// A fuzz target: no main of its own.
// options: --input-size 3
// cases: 4
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 3)
        return 0;
    if (data[0] == 'F') {
        putchar('F');
        if (data[1] == 'U') {
            putchar('U');
            if (data[2] == 'Z')
                putchar('Z');
        }
    }
    return 0;
}
