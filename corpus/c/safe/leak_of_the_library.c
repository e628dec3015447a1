// What library functions keep for themselves is not the program's to free: an open stream, the name of a locale.
// options: --property memory,leak,cleanup
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    FILE *file = fopen("new.txt", "w");
    if (!file)
        return 1;
    fputs("text", file);
    file = 0;
    setlocale(LC_ALL, "C");
    return 0;
}
