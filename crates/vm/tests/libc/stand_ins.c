// The stand-ins for symbolic data against the native models, on concrete texts within the machine: all texts of at most
// two of three characters, one of which is negative as a char. Objects are as large as their content, so that reading one byte
// too many is a fault. The exit code tells the first difference.
#include <stdlib.h>
#include <string.h>

#define STAND_IN(result, name, ...) extern result __selvedge_symbolic_##name(__VA_ARGS__)
STAND_IN(size_t, strlen, const char *);
STAND_IN(size_t, strnlen, const char *, size_t);
STAND_IN(int, strcmp, const char *, const char *);
STAND_IN(int, strncmp, const char *, const char *, size_t);
STAND_IN(int, memcmp, const void *, const void *, size_t);
STAND_IN(void *, memchr, const void *, int, size_t);
STAND_IN(char *, strchr, const char *, int);
STAND_IN(char *, strrchr, const char *, int);
STAND_IN(char *, strstr, const char *, const char *);
STAND_IN(char *, strcpy, char *, const char *);
STAND_IN(char *, strncpy, char *, const char *, size_t);
STAND_IN(char *, strcat, char *, const char *);
STAND_IN(char *, strncat, char *, const char *, size_t);
STAND_IN(char *, strdup, const char *);
STAND_IN(char *, __stpcpy, char *, const char *);
STAND_IN(char *, __strcpy_chk, char *, const char *, size_t);
extern char *__stpcpy(char *, const char *);

#define CHECK(condition) do { if (!(condition)) exit(__LINE__ & 0x7f); } while (0)

static char *texts[13];

static void make_texts(void)
{
    static const char letters[] = "a\xe9z";
    int count = 0;
    texts[count++] = strcpy(malloc(1), "");
    for (int i = 0; i < 3; i++) {
        char one[2] = {letters[i]};
        texts[count++] = strcpy(malloc(2), one);
        for (int j = 0; j < 3; j++) {
            char two[3] = {letters[i], letters[j]};
            texts[count++] = strcpy(malloc(3), two);
        }
    }
    CHECK(count == 13);
}

static void one(const char *a)
{
    size_t length = strlen(a);
    CHECK(__selvedge_symbolic_strlen(a) == length);
    for (size_t n = 0; n < 4; n++)
        CHECK(__selvedge_symbolic_strnlen(a, n) == strnlen(a, n));
    for (int i = 0; i < 4; i++) {
        int c = "a\xe9z"[i];
        CHECK(__selvedge_symbolic_strchr(a, c) == strchr(a, c));
        CHECK(__selvedge_symbolic_strrchr(a, c) == strrchr(a, c));
        CHECK(__selvedge_symbolic_memchr(a, c, length + 1) == memchr(a, c, length + 1));
    }
    char *copy = __selvedge_symbolic_strdup(a);
    CHECK(strcmp(copy, a) == 0);
    CHECK(__selvedge_symbolic___strcpy_chk(copy, a, length + 1) == copy && strcmp(copy, a) == 0);
    free(copy);
}

static void two(const char *a, const char *b)
{
    CHECK(__selvedge_symbolic_strcmp(a, b) == strcmp(a, b));
    CHECK(__selvedge_symbolic_strstr(a, b) == strstr(a, b));
    size_t x = strlen(a) + 1, y = strlen(b) + 1, least = x < y ? x : y;
    CHECK(__selvedge_symbolic_memcmp(a, b, least) == memcmp(a, b, least));
    for (size_t n = 0; n < 5; n++) {
        char here[8] = "-", there[8] = "-";
        CHECK(__selvedge_symbolic_strncmp(a, b, n) == strncmp(a, b, n));
        CHECK(__selvedge_symbolic_strncpy(here + 1, a, n) == here + 1);
        strncpy(there + 1, a, n);
        CHECK(memcmp(here, there, sizeof here) == 0);
        CHECK(__selvedge_symbolic_strncat(here, b, n) == here);
        strncat(there, b, n);
        CHECK(memcmp(here, there, sizeof here) == 0);
    }
    char here[8] = "", there[8] = "";
    CHECK(__selvedge_symbolic_strcpy(here, a) == here && __selvedge_symbolic_strcat(here, b) == here);
    strcat(strcpy(there, a), b);
    CHECK(memcmp(here, there, sizeof here) == 0);
    CHECK(__selvedge_symbolic___stpcpy(here, b) - here == __stpcpy(there, b) - there);
    CHECK(memcmp(here, there, sizeof here) == 0);
}

int main(void)
{
    make_texts();
    for (int i = 0; i < 13; i++) {
        one(texts[i]);
        for (int j = 0; j < 13; j++)
            two(texts[i], texts[j]);
    }
    return 0;
}
