// The padding of a structure goes through a file as it is: undefined. Comparing all bytes then depends on it.
#include <stdio.h>
#include <string.h>

struct record {
    char tag;
    int value;
};

int main(void)
{
    struct record out, in;
    out.tag = 't';
    out.value = 1;
    FILE *f = fopen("records", "w+");
    fwrite(&out, sizeof out, 1, f);
    rewind(f);
    fread(&in, sizeof in, 1, f);
    if (in.tag != 't' || in.value != 1)
        return 1;
    return memcmp(&in, &out, sizeof in) != 0; // expect: memory.uninitialized
}
