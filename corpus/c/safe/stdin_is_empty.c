// Without anything given, standard input is at its end.
#include <assert.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    char byte;
    assert(read(0, &byte, 1) == 0);
    assert(getchar() == EOF && feof(stdin));
    assert(scanf("%c", &byte) == EOF);
    return 0;
}
