// Twelve bytes, each compared once with a constant: every one of the 2^12 outcomes is a path.
// count(dpor)=4096
void klee_make_symbolic(void *object, unsigned long size, const char *name);

int main(void)
{
    unsigned char byte[12];
    int equal = 0;
    klee_make_symbolic(byte, sizeof byte, "byte");
    for (int i = 0; i < 12; i++)
        if (byte[i] == 'a' + i)
            equal++;
    return equal;
}
