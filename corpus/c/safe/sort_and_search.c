// qsort and bsearch with the program's own comparison.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int main(void)
{
    const char *words[] = {"pear", "apple", "fig", "quince", "date"};
    const char *wanted = "fig", *missing = "kiwi";
    qsort(words, 5, sizeof *words, by_text);
    for (int i = 1; i < 5; i++)
        assert(strcmp(words[i - 1], words[i]) < 0);
    assert(bsearch(&wanted, words, 5, sizeof *words, by_text) == &words[2]);
    assert(bsearch(&missing, words, 5, sizeof *words, by_text) == NULL);
    return 0;
}
