// The address is that of another valid object, but the pointer was made from this one.
struct two {
    int before[2];
    int after[2];
};

static int first[4], second[4];

int main(void)
{
    long distance = (long)((char *)second - (char *)first) / (long)sizeof(int);
    int *end = first;
    end[distance] = 1; // expect: memory.out-of-bounds
    return second[0] & 0;
}
