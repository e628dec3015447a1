// Integers: absolute values, quotient with remainder, bits, byte order.

#include <stdint.h>
#include <stdlib.h>

// Without branches, so that a symbolic value makes no paths. The least value overflows here as it does in `-x`.
int abs(int x) { return (x ^ (x >> 31)) - (x >> 31); }
long labs(long x) { return (x ^ (x >> 63)) - (x >> 63); }
long long llabs(long long x) { return labs(x); }
intmax_t imaxabs(intmax_t x) { return labs(x); }

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

// The number of the lowest bit by halves, without branches.
int ffsll(long long x)
{
    unsigned long long lowest = (unsigned long long)x & -(unsigned long long)x;
    int number = 1;
    number += ((lowest & 0xffffffff00000000u) != 0) << 5;
    number += ((lowest & 0xffff0000ffff0000u) != 0) << 4;
    number += ((lowest & 0xff00ff00ff00ff00u) != 0) << 3;
    number += ((lowest & 0xf0f0f0f0f0f0f0f0u) != 0) << 2;
    number += ((lowest & 0xccccccccccccccccu) != 0) << 1;
    number += (lowest & 0xaaaaaaaaaaaaaaaau) != 0;
    return number & -(lowest != 0);
}

int ffsl(long x) { return ffsll(x); }
int ffs(int x) { return ffsll((long long)(unsigned)x); }

uint16_t htons(uint16_t x) { return (uint16_t)(x << 8 | x >> 8); }
uint16_t ntohs(uint16_t x) { return (uint16_t)(x << 8 | x >> 8); }
uint32_t htonl(uint32_t x) { return x << 24 | (x & 0xff00) << 8 | (x >> 8 & 0xff00) | x >> 24; }
uint32_t ntohl(uint32_t x) { return x << 24 | (x & 0xff00) << 8 | (x >> 8 & 0xff00) | x >> 24; }
