// An instruction that has no meaning here.
// unknown: assembly
int main(void)
{
    unsigned a, d;
    __asm__ volatile("rdpmc" : "=a"(a), "=d"(d) : "c"(0));
    return 0;
}
