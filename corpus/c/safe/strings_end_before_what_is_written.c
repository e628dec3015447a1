// String functions read no byte behind the end of a string, the limit they are given or what they look for: another
// thread may write there.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static char text[16] = "hello", copy[16], other[16] = "help";

static void *work(void *unused)
{
    assert(strlen(text) == 5);
    assert(!strcmp(strcpy(copy, text), "hello"));
    assert(strcmp(text, other) < 0);
    assert(strncmp(text, other, 3) == 0);
    assert(strchr(text, 'l') == text + 2);
    assert(memchr(text, 'o', 16) == text + 4);
    assert(strnlen(text, 3) == 3);
    assert(!strcmp(strncpy(copy, text, 3), "hello"));
    snprintf(copy, sizeof copy, "%.3s", text);
    assert(!strcmp(copy, "hel"));
    printf("%s %.4s\n", text, text);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    text[6] = 'x';
    other[5] = 'x';
    pthread_join(thread, 0);
    return 0;
}
