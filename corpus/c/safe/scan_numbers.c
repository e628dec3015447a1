// Formatted input from texts and files.
#include <assert.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    int a = 0, b = 0, n = 0;
    double d = 0;
    char word[8] = "", rest[8] = "";
    assert(sscanf("12 0x1f", "%d %i%n", &a, &b, &n) == 2 && a == 12 && b == 31 && n == 7);
    assert(sscanf("key=value", "%3[a-z]=%7s", word, rest) == 2 && !strcmp(word, "key") && !strcmp(rest, "value"));
    assert(sscanf("2.5e1x", "%lf%c", &d, word) == 2 && d == 25 && word[0] == 'x');
    assert(sscanf("", "%d", &a) == EOF && sscanf("x", "%d", &a) == 0);
    FILE *f = fopen("numbers", "w+");
    for (int i = 0; i < 5; i++)
        fprintf(f, "%d ", i * i);
    rewind(f);
    int sum = 0;
    while (fscanf(f, "%d", &a) == 1)
        sum += a;
    assert(sum == 30 && feof(f));
    fclose(f);
    return 0;
}
