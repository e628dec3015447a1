// One past the end may be pointed to, not read.
static int sum(const int *begin, const int *end)
{
    int total = 0;
    do
        total += *begin; // expect: memory.out-of-bounds
    while (begin++ != end);
    return total;
}

int main(void)
{
    int values[3] = {1, 2, 3};
    return sum(values, values + 3) & 0;
}
