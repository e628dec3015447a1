// What instructions of x86-64 compute in registers and memory, with the flags they leave.
#include <assert.h>
#include <stdint.h>

static uint64_t sum_of_three(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t sum;
    __asm__("movq %1, %0; addq %2, %0\n\tleaq 3(%0,%3,4), %0 # and some more" : "=&r"(sum) : "r"(a), "r"(b), "r"(c));
    return sum;
}

static int compare(int64_t a, int64_t b)
{
    uint8_t less, below, equal;
    __asm__("cmpq %4, %3; setl %0; setb %1; sete %2" : "=q"(less), "=q"(below), "=q"(equal) : "r"(a), "r"(b) : "cc");
    return less << 2 | below << 1 | equal;
}

static unsigned narrow(unsigned x)
{
    unsigned y = 0xaabbccdd;
    __asm__("movb %b1, %b0; rorl $8, %0; xorw %w1, %w0; rorl $24, %0" : "+r"(y) : "r"(x));
    return y;
}

static uint64_t upper_half(uint32_t x)
{
    uint64_t y = ~0ull;
    __asm__("movl %1, %k0" : "+r"(y) : "r"(x));
    return y;
}

static int last_bit(uint64_t x, uint64_t *at)
{
    uint8_t none;
    __asm__("bsrq %2, %0; setz %1" : "=r"(*at), "=q"(none) : "rm"(x) : "cc");
    return none;
}

static int bits(uint32_t *word, uint32_t number)
{
    uint8_t set, cleared, carry;
    __asm__ volatile("lock; btsl %2, %0; setc %1" : "+m"(*word), "=q"(set) : "r"(number) : "memory", "cc");
    __asm__ volatile("lock btrl $3, %0\n\tsetc %1" : "+m"(*word), "=q"(cleared) : : "memory", "cc");
    __asm__ volatile("btl %2, %1; setc %0" : "=q"(carry) : "r"(*word), "r"(number) : "cc");
    return set << 2 | cleared << 1 | carry;
}

static int swap_pair(uint64_t at[2], uint64_t low, uint64_t high, uint64_t new_low, uint64_t new_high)
{
    uint8_t done;
    __asm__ volatile("lock cmpxchg16b %0; setz %1"
                     : "+m"(*at), "=q"(done), "+a"(low), "+d"(high)
                     : "b"(new_low), "c"(new_high)
                     : "memory", "cc");
    assert(done || (low == at[0] && high == at[1]));
    return done;
}

static unsigned conditional(unsigned a, unsigned b)
{
    __asm__("cmpl %1, %0; cmovbl %1, %0" : "+r"(a) : "r"(b) : "cc");
    return a;
}

static int own_block(void)
{
    void **block;
    __asm__("movq %%fs:0, %0" : "=r"(block));
    return *block == (void *)block;
}

int main(void)
{
    assert(sum_of_three(1, 2, 5) == 26);
    assert(compare(1, 2) == 6 && compare(-1, 1) == 4 && compare(1, -1) == 2 && compare(7, 7) == 1);
    assert(narrow(0x11223344) == 0xaa888844);
    assert(upper_half(7) == 7);
    uint64_t at;
    assert(!last_bit(0x1010, &at) && at == 12);
    assert(last_bit(0, &at));
    uint32_t words[2] = {8, 0};
    assert(bits(words, 33) == 2 && words[0] == 0 && words[1] == 2);
    assert(bits(words, 1) == 1 && words[0] == 2);
    static uint64_t pair[2] __attribute__((aligned(16))) = {1, 2};
    assert(swap_pair(pair, 1, 2, 3, 4) && pair[0] == 3 && pair[1] == 4);
    assert(!swap_pair(pair, 3, 5, 6, 7) && pair[0] == 3 && pair[1] == 4);
    assert(conditional(3, 9) == 9 && conditional(9, 3) == 9);
    assert(own_block());
    return 0;
}
