// A function returns the address of its local array.
static int *make(int value)
{
    int local[2] = {value, value};
    int *volatile result = local;
    return result;
}

int main(void)
{
    int *dangling = make(3);
    return *dangling & 0; // expect: memory.use-after-return, memory.use-after-scope
}
