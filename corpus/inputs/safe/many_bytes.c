// 4 KiB of input: what is not looked at costs nothing, and a sum over all of it is one expression, which is asked about once.
// count(dpor)=2
void klee_make_symbolic(void *object, unsigned long size, const char *name);

static unsigned char input[4096];

int main(void)
{
    klee_make_symbolic(input, sizeof input, "input");
    unsigned char parity = 0;
    for (unsigned i = 0; i < sizeof input; i++)
        parity ^= input[i];
    if (parity == 7)
        return 1;
    return 0;
}
