// Streams are given buffers that last as long as the program.
#include <assert.h>
#include <stdio.h>
#include <string.h>

static char for_output[BUFSIZ], for_file[512];

int main(void)
{
    setbuf(stdout, for_output);
    FILE *file = fopen("x", "w");
    assert(file && setvbuf(file, for_file, _IOFBF, sizeof for_file) == 0);
    fputs("abc", file);
    fclose(file);
    char line[9] = {0};
    file = fopen("x", "r");
    assert(fgets(line, sizeof line, file) && strcmp(line, "abc") == 0);
    fclose(file);
    return 0;
}
