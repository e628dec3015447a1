// A function that is called as one of another type gets its argument from a register that nobody has set, or bits of it.
// variant: -DF=identity -DTAKES=double -DGIVEN=1
// variant: -DF=identity -DTAKES=void -DGIVEN=
// variant: -DF=half -DTAKES=int -DGIVEN=1
// variant: -DF=high -DTAKES=int -DGIVEN=1
// variant: -DF=low -DTAKES=int -DGIVEN=1

__attribute__((noinline)) int identity(int a)
{
    return a;
}

__attribute__((noinline)) double half(int a)
{
    return a / 2.0;
}

__attribute__((noinline)) int high(long a)
{
    return a >> 40 == 0;
}

__attribute__((noinline)) int low(signed char a)
{
    return a;
}

int main(void)
{
    int (*call)(TAKES) = (int (*)(TAKES))F;
    if (call(GIVEN) == 1) // expect: memory.invalid-pointer, memory.uninitialized
        return 1;
    return 0;
}
