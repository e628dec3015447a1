// Integers: absolute values, quotient with remainder, bits, byte order.

#include <stdint.h>
#include <stdlib.h>

int abs(int x) { return x < 0 ? -x : x; }
long labs(long x) { return x < 0 ? -x : x; }
long long llabs(long long x) { return x < 0 ? -x : x; }
intmax_t imaxabs(intmax_t x) { return x < 0 ? -x : x; }

div_t div(int x, int y)
{
    div_t result = {x / y, x % y};
    return result;
}

ldiv_t ldiv(long x, long y)
{
    ldiv_t result = {x / y, x % y};
    return result;
}

lldiv_t lldiv(long long x, long long y)
{
    lldiv_t result = {x / y, x % y};
    return result;
}

int ffsll(long long x)
{
    unsigned long long bits = (unsigned long long)x;
    for (int i = 0; i < 64; i++)
        if (bits >> i & 1)
            return i + 1;
    return 0;
}

int ffsl(long x) { return ffsll(x); }
int ffs(int x) { return ffsll((long long)(unsigned)x); }

uint16_t htons(uint16_t x) { return (uint16_t)(x << 8 | x >> 8); }
uint16_t ntohs(uint16_t x) { return (uint16_t)(x << 8 | x >> 8); }
uint32_t htonl(uint32_t x) { return x << 24 | (x & 0xff00) << 8 | (x >> 8 & 0xff00) | x >> 24; }
uint32_t ntohl(uint32_t x) { return x << 24 | (x & 0xff00) << 8 | (x >> 8 & 0xff00) | x >> 24; }
