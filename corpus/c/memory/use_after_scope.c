// The address of a variable outlives its block.
int main(void)
{
    int *escaped;
    {
        int inner = 1;
        escaped = &inner;
    }
    return *escaped & 0; // expect: memory.use-after-scope
}
