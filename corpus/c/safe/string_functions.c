// The string functions that programs use most.
#include <assert.h>
#include <string.h>
#include <strings.h>

int main(void)
{
    char buffer[32], *save;
    assert(strlen("four") == 4 && strnlen("four", 2) == 2);
    strcpy(buffer, "one,");
    strcat(buffer, "two");
    strncat(buffer, ",three", 4);
    assert(strcmp(buffer, "one,two,thr") == 0 && strncmp(buffer, "one!", 3) == 0);
    assert(strchr(buffer, 't') == buffer + 4 && strrchr(buffer, 't') == buffer + 8 && !strchr(buffer, 'z'));
    assert(strstr(buffer, "two") == buffer + 4 && strpbrk(buffer, "w,") == buffer + 3);
    assert(strspn(buffer, "neo") == 3 && strcspn(buffer, ",") == 3);
    assert(strcmp(strtok_r(buffer, ",", &save), "one") == 0 && strcmp(strtok_r(NULL, ",", &save), "two") == 0);
    memset(buffer, 'x', 8);
    memmove(buffer + 1, buffer, 8);
    memcpy(buffer, "ab", 2);
    assert(memcmp(buffer, "abxxx", 5) == 0 && memchr(buffer, 'b', 8) == buffer + 1);
    strncpy(buffer, "hi", 5);
    assert(buffer[4] == 0 && strcasecmp(buffer, "HI") == 0);
    return 0;
}
