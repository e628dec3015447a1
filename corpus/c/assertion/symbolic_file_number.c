// A number in a file of two bytes: one of the values is the wrong one.
// options: --symbolic-file cfg:2
#include <assert.h>
#include <stdio.h>

int main(void)
{
    int n;
    FILE *f = fopen("cfg", "r");
    assert(f);
    int found = fscanf(f, "%d", &n);
    assert(!(found == 1 && n == 42)); // expect: assertion
    fclose(f);
    return 0;
}
