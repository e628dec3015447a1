// The bytes of a vector that are equal to one, as bits: what hash tables and searches are made of.
#include <assert.h>
#include <emmintrin.h>
#include <string.h>

static int first(const char *text, char wanted)
{
    __m128i block;
    memcpy(&block, text, sizeof block);
    int bits = _mm_movemask_epi8(_mm_cmpeq_epi8(block, _mm_set1_epi8(wanted)));
    return bits ? __builtin_ctz(bits) : -1;
}

int main(void)
{
    const char text[17] = "0123456789abcdef";
    assert(first(text, '0') == 0 && first(text, '9') == 9 && first(text, 'f') == 15 && first(text, 'x') == -1);
    return 0;
}
