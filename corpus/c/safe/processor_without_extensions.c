// A program that asks the processor what it can do, as libraries do, is told of nothing beyond the least.
#include <assert.h>

static unsigned answer(unsigned leaf)
{
    unsigned a = leaf, b, c, d;
    __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d));
    return a | b | c | d;
}

int main(void)
{
    unsigned long kept = 5;
    unsigned a = 7;
    // As compilers that keep a base in rbx want it.
    __asm__ volatile("pushq %%rbx; cpuid; popq %%rbx" : "+a"(a) : : "ecx", "edx");
    __asm__ volatile("xchgq %%rbx, %q1; cpuid; xchgq %%rbx, %q1" : "+a"(a), "+r"(kept) : : "ecx", "edx");
    assert(answer(0) == 0 && answer(1) == 0 && a == 0);
    return 0;
}
