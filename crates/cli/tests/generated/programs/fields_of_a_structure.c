// A structure as one input: fields of different sizes, a bit field, padding.
// cases: 17
#include <stdio.h>
extern void klee_make_symbolic(void *, unsigned long, const char *);
extern void klee_assume(unsigned long);

struct header {
    unsigned char version;
    unsigned short length;
    unsigned flags : 3;
    long offset;
};

int main(void) {
    struct header h;
    klee_make_symbolic(&h, sizeof h, "header");
    klee_assume(h.length <= 64);
    if (h.version != 4 && h.version != 6)
        return 1;
    putchar(h.version == 4 ? '4' : '6');
    if (h.flags & 1)
        putchar('a');
    if (h.flags & 4)
        putchar('c');
    if (h.offset + h.length > 50) {
        putchar('>');
        return h.offset < 0 ? 2 : 3;
    }
    return 0;
}
