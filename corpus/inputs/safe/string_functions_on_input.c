// What string.h says about a text of at most three characters of any value.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

void klee_make_symbolic(void *object, unsigned long size, const char *name);

int main(void)
{
    char text[4], copy[8];
    klee_make_symbolic(text, 3, "text");
    text[3] = 0;
    size_t length = strlen(text);
    assert(length <= 3);
#if KIND == 1
    strcpy(copy, text);
    assert(strcmp(copy, text) == 0 && memcmp(copy, text, length + 1) == 0);
    strcat(copy, "!");
    assert(strlen(copy) == length + 1 && copy[length] == '!');
    assert(strcmp(copy, text) > 0);
#elif KIND == 2
    char *at = strchr(text, 'x'), *last = strrchr(text, 'x');
    assert(!at == !last && at <= last);
    assert(at == memchr(text, 'x', length));
    if (at)
        assert(*at == 'x' && strcspn(text, "x") == (size_t)(at - text));
#elif KIND == 3
    char *found = strstr(text, "ab");
    if (found)
        assert(found[0] == 'a' && found[1] == 'b' && found <= text + 1);
    else
        assert(!(text[0] == 'a' && text[1] == 'b'));
#elif KIND == 4
    strncpy(copy, text, sizeof copy);
    for (size_t i = length; i < sizeof copy; i++)
        assert(copy[i] == 0);
    char *twin = strdup(text);
    if (twin)
        assert(strcmp(twin, copy) == 0);
    free(twin);
#else
    char *rest = text, *word = strsep(&rest, ", ");
    assert(word == text);
    assert(!strpbrk(word, ", "));
    assert(rest == 0 || rest == word + strlen(word) + 1);
#endif
    return 0;
}
// variant: -DKIND=1
// variant: -DKIND=2
// variant: -DKIND=3
// variant: -DKIND=4
// variant: -DKIND=5
