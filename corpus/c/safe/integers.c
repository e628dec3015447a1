// Widths, signs, wrap-around of unsigned types, shifts, 128-bit arithmetic, overflow builtins.
#include <assert.h>
#include <stdint.h>

int main(void)
{
    uint8_t byte = 255;
    int8_t negative = (int8_t)200;
    unsigned x = 5, y = 7;
    volatile unsigned __int128 wide = (unsigned __int128)UINT64_MAX * UINT64_MAX;
    volatile __int128 minus = -7;
    int sum;
    byte++;
    assert(byte == 0 && negative == -56 && x - y == 4294967294u && (int)(x - y) == -2);
    assert(-7 / 2 == -3 && -7 % 2 == -1 && -8 >> 1 == -4 && 1u << 31 == 2147483648u);
    assert((uint64_t)(wide >> 64) == UINT64_MAX - 1 && (uint64_t)wide == 1);
    assert(minus / 2 == -3 && minus % 4 == -3 && minus < 0 && (minus << 70) >> 70 == -7);
    assert(__builtin_add_overflow(INT32_MAX, 1, &sum) && sum == INT32_MIN);
    assert(!__builtin_mul_overflow(46340, 46340, &sum) && __builtin_popcount(0xf0f0) == 8);
    assert(__builtin_clz(1) == 31 && __builtin_ctzll(1ull << 40) == 40 && __builtin_bswap32(0x11223344) == 0x44332211);
    return 0;
}
