// LZ4's decoder on every input of SIZE bytes, into room for ROOM bytes: nothing is read or written outside of the two
// buffers, and the answer is an error or a length that fits.
//
// The decoder is LZ4's own lib/lz4.c, unchanged. `make demo` runs it. What it prints is the same in a native run
// of each test case.
#include <assert.h>
#include <stdio.h>
#include "lz4.h"

#ifndef SIZE
#define SIZE 8
#endif
#ifndef ROOM
#define ROOM 16
#endif

void klee_make_symbolic(void *object, unsigned long size, const char *name);

int main(void)
{
    char source[SIZE], target[ROOM];
    klee_make_symbolic(source, sizeof source, "source");
    int length = LZ4_decompress_safe(source, target, sizeof source, sizeof target);
    assert(length <= ROOM);
    printf("%d\n", length < 0 ? -1 : length);
    return 0;
}
