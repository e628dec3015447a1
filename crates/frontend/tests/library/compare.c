// Compares the model library with the libc of this machine, on fixed and on random arguments. The library's functions
// carry the prefix `model_` here (tests/library.rs renames them).

#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <arpa/inet.h>
#include <unistd.h>

#define MODEL(result, name, ...) extern result model_##name(__VA_ARGS__)
#define WORDS(result, name, ...) extern result model___selvedge_##name(__VA_ARGS__)

static int failures;
static const char *concerned = "";

#define CHECK(condition)                                                                      \
    do {                                                                                      \
        if (!(condition) && failures++ < 20)                                                  \
            printf("line %d: %s: %s\n", __LINE__, concerned, #condition);                     \
    } while (0)

static int sign(int x) { return (x > 0) - (x < 0); }

MODEL(const unsigned short **, __ctype_b_loc, void);
MODEL(const int **, __ctype_tolower_loc, void);
MODEL(const int **, __ctype_toupper_loc, void);
#define CLASS(name) MODEL(int, name, int);
#define CLASSES(DO) DO(isalnum) DO(isalpha) DO(isblank) DO(iscntrl) DO(isdigit) DO(isgraph) DO(islower) DO(isprint) \
    DO(ispunct) DO(isspace) DO(isupper) DO(isxdigit) DO(isascii)
CLASSES(CLASS)
MODEL(int, tolower, int);
MODEL(int, toupper, int);
MODEL(int, toascii, int);

static void characters(void)
{
    concerned = "ctype";
    for (int c = -128; c < 256; c++) {
        CHECK((*model___ctype_b_loc())[c] == (*__ctype_b_loc())[c]);
        CHECK((*model___ctype_tolower_loc())[c] == (*__ctype_tolower_loc())[c]);
        CHECK((*model___ctype_toupper_loc())[c] == (*__ctype_toupper_loc())[c]);
#define SAME(name) CHECK(!!model_##name(c) == !!(name)(c));
        CLASSES(SAME)
        CHECK(model_tolower(c) == (tolower)(c));
        CHECK(model_toupper(c) == (toupper)(c));
        CHECK(model_toascii(c) == (toascii)(c));
    }
}

MODEL(long, strtol, const char *, char **, int);
MODEL(unsigned long, strtoul, const char *, char **, int);
MODEL(long long, strtoll, const char *, char **, int);
MODEL(unsigned long long, strtoull, const char *, char **, int);
MODEL(intmax_t, strtoimax, const char *, char **, int);
MODEL(uintmax_t, strtoumax, const char *, char **, int);
MODEL(long, __isoc23_strtol, const char *, char **, int);
MODEL(unsigned long, __isoc23_strtoul, const char *, char **, int);
MODEL(int, atoi, const char *);
MODEL(long, atol, const char *);
MODEL(long long, atoll, const char *);

#define NUMBER(name)                                                         \
    do {                                                                     \
        char *end = 0, *model_end = 0;                                       \
        errno = 0;                                                           \
        __typeof__(name(text, &end, base)) value = name(text, &end, base);   \
        int error = errno;                                                   \
        errno = 0;                                                           \
        CHECK(model_##name(text, &model_end, base) == value);                \
        CHECK(errno == error && model_end == end);                           \
    } while (0)

static void number(const char *text, int base)
{
    concerned = text;
    NUMBER(strtol);
    NUMBER(strtoul);
    NUMBER(strtoll);
    NUMBER(strtoull);
    NUMBER(strtoimax);
    NUMBER(strtoumax);
    CHECK(model_atoi(text) == atoi(text));
    CHECK(model_atol(text) == atol(text));
    CHECK(model_atoll(text) == atoll(text));
}

static void numbers(void)
{
    static const char *const texts[] = {
        "", "0", "-0", "+7", " \t\n-42x", "0x", "0x1F", "0X", "-0xg", "077", "08", "zz", "Zz9", "9223372036854775807",
        "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615",
        "18446744073709551616", "-18446744073709551615", "-18446744073709551616", "99999999999999999999999", "- 1", "+-1",
        "2147483648", "--", "0x7fffffffffffffff", "1 2",
    };
    static const int bases[] = {0, 2, 3, 8, 10, 16, 36};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t j = 0; j < sizeof bases / sizeof *bases; j++)
            number(texts[i], bases[j]);
    static const char alphabet[] = "0123456789abxXf-+ ";
    unsigned seed = 1;
    for (int i = 0; i < 20000; i++) {
        char text[26];
        int length = rand_r(&seed) % 25;
        for (int j = 0; j < length; j++)
            text[j] = alphabet[(unsigned)rand_r(&seed) % (sizeof alphabet - 1)];
        text[length] = 0;
        number(text, bases[(unsigned)rand_r(&seed) % 7]);
    }
    concerned = "C23";
    char *end;
    CHECK(model___isoc23_strtol("-0b101x", &end, 0) == -5 && *end == 'x');
    CHECK(model___isoc23_strtoul("0B11", &end, 2) == 3 && !*end);
    CHECK(model___isoc23_strtoul("0b2", &end, 0) == 0 && *end == 'b');
    errno = 0;
    CHECK(model_strtol("1", &end, 1) == 0 && errno == EINVAL);
}

MODEL(int, abs, int);
MODEL(long, labs, long);
MODEL(long long, llabs, long long);
MODEL(div_t, div, int, int);
MODEL(ldiv_t, ldiv, long, long);
MODEL(lldiv_t, lldiv, long long, long long);
MODEL(int, ffs, int);
MODEL(int, ffsl, long);
MODEL(int, ffsll, long long);
MODEL(uint16_t, htons, uint16_t);
MODEL(uint32_t, htonl, uint32_t);
MODEL(int, rand_r, unsigned *);
MODEL(char *, strerror, int);

static void integers(void)
{
    concerned = "integers";
    static const int values[] = {0, 1, -1, 7, -7, 256, INT_MAX, -INT_MAX};
    for (int i = 0; i < 8; i++) {
        int x = values[i];
        CHECK(model_abs(x) == abs(x) && model_labs(x) == labs(x) && model_llabs(x) == llabs(x));
        CHECK(model_ffs(x) == ffs(x) && model_ffsl(x) == ffsl(x) && model_ffsll(x) == ffsll(x));
        CHECK(model_ffsl(x * (1L << 32)) == ffsl(x * (1L << 32)));
        CHECK(model_htons((uint16_t)x) == (htons)((uint16_t)x) && model_htonl((uint32_t)x) == (htonl)((uint32_t)x));
        for (int j = 1; j < 8; j++) {
            CHECK(model_div(x, values[j]).quot == x / values[j] && model_div(x, values[j]).rem == x % values[j]);
            CHECK(model_ldiv(x, values[j]).rem == x % values[j] && model_lldiv(x, values[j]).rem == x % values[j]);
        }
    }
    unsigned seed = 42, model_seed = 42;
    for (int i = 0; i < 1000; i++)
        CHECK(model_rand_r(&model_seed) == rand_r(&seed) && model_seed == seed);
    for (int i = -3; i < 200; i++)
        CHECK(strcmp(model_strerror(i), strerror(i)) == 0);
}

MODEL(void, qsort, void *, size_t, size_t, int (*)(const void *, const void *));
MODEL(void *, bsearch, const void *, const void *, size_t, size_t, int (*)(const void *, const void *));
MODEL(void *, lfind, const void *, const void *, size_t *, size_t, int (*)(const void *, const void *));
MODEL(void *, lsearch, const void *, void *, size_t *, size_t, int (*)(const void *, const void *));
MODEL(void, insque, void *, void *);
MODEL(void, remque, void *);

static int by_value(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static void sorting(void)
{
    concerned = "sorting";
    unsigned seed = 3;
    for (int round = 0; round < 2000; round++) {
        int a[40], b[40];
        size_t count = (unsigned)rand_r(&seed) % 40;
        for (size_t i = 0; i < count; i++)
            a[i] = b[i] = rand_r(&seed) % 50;
        qsort(a, count, sizeof *a, by_value);
        model_qsort(b, count, sizeof *b, by_value);
        CHECK(memcmp(a, b, count * sizeof *a) == 0);
        for (int key = 0; key < 50; key++) {
            int *here = bsearch(&key, a, count, sizeof *a, by_value);
            int *there = model_bsearch(&key, b, count, sizeof *b, by_value);
            CHECK(!here == !there && (!there || *there == key));
            CHECK(!model_lfind(&key, b, &count, sizeof *b, by_value) == !here);
        }
    }
    int list[4] = {5, 6};
    size_t count = 2;
    int key = 6;
    CHECK(model_lsearch(&key, list, &count, sizeof key, by_value) == &list[1] && count == 2);
    key = 9;
    CHECK(model_lsearch(&key, list, &count, sizeof key, by_value) == &list[2] && count == 3 && list[2] == 9);

    struct link { struct link *next, *previous; } x, y, z;
    model_insque(&x, NULL);
    model_insque(&z, &x);
    model_insque(&y, &x);
    CHECK(x.next == &y && y.next == &z && !z.next && z.previous == &y && y.previous == &x && !x.previous);
    model_remque(&y);
    CHECK(x.next == &z && z.previous == &x);
}

MODEL(size_t, strspn, const char *, const char *);
MODEL(size_t, strcspn, const char *, const char *);
MODEL(char *, strpbrk, const char *, const char *);
MODEL(char *, strsep, char **, const char *);
MODEL(char *, strtok, char *, const char *);
MODEL(char *, strtok_r, char *, const char *, char **);
MODEL(char *, strchrnul, const char *, int);
MODEL(char *, index, const char *, int);
MODEL(char *, rindex, const char *, int);
MODEL(void *, memrchr, const void *, int, size_t);
MODEL(void *, rawmemchr, const void *, int);
MODEL(void *, memmem, const void *, size_t, const void *, size_t);
MODEL(void *, memccpy, void *, const void *, int, size_t);
MODEL(void *, mempcpy, void *, const void *, size_t);
MODEL(char *, stpcpy, char *, const char *);
MODEL(char *, stpncpy, char *, const char *, size_t);
MODEL(size_t, strlcpy, char *, const char *, size_t);
MODEL(size_t, strlcat, char *, const char *, size_t);
MODEL(char *, strndup, const char *, size_t);
MODEL(int, strcasecmp, const char *, const char *);
MODEL(int, strncasecmp, const char *, const char *, size_t);
MODEL(char *, strcasestr, const char *, const char *);
MODEL(int, strcoll, const char *, const char *);
MODEL(size_t, strxfrm, char *, const char *, size_t);
MODEL(void, swab, const void *, void *, ssize_t);
WORDS(void *, memcpy, void *, const void *, size_t);
WORDS(void *, memmove, void *, const void *, size_t);
WORDS(void *, memset, void *, int, size_t);
WORDS(int, memcmp, const void *, const void *, size_t);
WORDS(void *, memchr, const void *, int, size_t);
WORDS(size_t, strlen, const char *);
WORDS(size_t, strnlen, const char *, size_t);
WORDS(char *, strcpy, char *, const char *);
WORDS(char *, strncpy, char *, const char *, size_t);
WORDS(char *, strcat, char *, const char *);
WORDS(char *, strncat, char *, const char *, size_t);
WORDS(int, strcmp, const char *, const char *);
WORDS(int, strncmp, const char *, const char *, size_t);
WORDS(char *, strchr, const char *, int);
WORDS(char *, strrchr, const char *, int);
WORDS(char *, strstr, const char *, const char *);
WORDS(char *, strdup, const char *);

// Two buffers with the same content: the machine's function works on one, the model on the other.
static char here[64], there[64];

static intptr_t offset(const void *result, const char *buffer) { return result ? (intptr_t)result - (intptr_t)buffer : -1; }

#define BOTH(name, model, ...)                                                                               \
    do {                                                                                                     \
        memset(here, '#', sizeof here);                                                                      \
        strcpy(here + at, a);                                                                                \
        memcpy(there, here, sizeof here);                                                                    \
        char *buffer = here;                                                                                 \
        intptr_t result = offset(name(__VA_ARGS__), here);                                                   \
        buffer = there;                                                                                      \
        intptr_t model_result = offset(model(__VA_ARGS__), there);                                           \
        CHECK(result == model_result && memcmp(here, there, sizeof here) == 0);                              \
    } while (0)

static void splitting(const char *a, const char *b)
{
    char *here_at = strcpy(here, a), *there_at = strcpy(there, a), *here_save, *there_save;
    for (;;) {
        char *x = strsep(&here_at, b), *y = model_strsep(&there_at, b);
        CHECK(!x == !y && (!x || strcmp(x, y) == 0));
        if (!x || !y)
            break;
    }
    here_at = strtok_r(strcpy(here, a), b, &here_save);
    there_at = model_strtok_r(strcpy(there, a), b, &there_save);
    while (here_at && there_at) {
        CHECK(strcmp(here_at, there_at) == 0);
        here_at = strtok_r(NULL, b, &here_save);
        there_at = model_strtok_r(NULL, b, &there_save);
    }
    CHECK(!here_at && !there_at);
    here_at = strtok(strcpy(here, a), b);
    there_at = model_strtok(strcpy(there, a), b);
    while (here_at && there_at) {
        CHECK(strcmp(here_at, there_at) == 0);
        here_at = strtok(NULL, b);
        there_at = model_strtok(NULL, b);
    }
    CHECK(!here_at && !there_at);
}

static void text(const char *a, const char *b, int c, size_t n, size_t at)
{
    concerned = a;
    size_t length = strlen(a);
    CHECK(model_strspn(a, b) == strspn(a, b) && model_strcspn(a, b) == strcspn(a, b));
    CHECK(model_strpbrk(a, b) == strpbrk(a, b) && model_strchrnul(a, c) == strchrnul(a, c));
    CHECK(model_index(a, c) == strchr(a, c) && model_rindex(a, c) == strrchr(a, c));
    CHECK(model_memrchr(a, c, length) == memrchr(a, c, length) && model_rawmemchr(a, 0) == a + length);
    CHECK(model_memmem(a, length, b, strlen(b)) == memmem(a, length, b, strlen(b)));
    CHECK(sign(model_strcasecmp(a, b)) == sign(strcasecmp(a, b)) && sign(model_strncasecmp(a, b, n)) == sign(strncasecmp(a, b, n)));
    CHECK(model_strcasestr(a, b) == strcasestr(a, b) && sign(model_strcoll(a, b)) == sign(strcoll(a, b)));
    CHECK(model___selvedge_strlen(a) == length && model___selvedge_strnlen(a, n) == strnlen(a, n));
    CHECK(sign(model___selvedge_strcmp(a, b)) == sign(strcmp(a, b)));
    CHECK(sign(model___selvedge_strncmp(a, b, n)) == sign(strncmp(a, b, n)));
    CHECK(model___selvedge_strchr(a, c) == strchr(a, c) && model___selvedge_strrchr(a, c) == strrchr(a, c));
    CHECK(model___selvedge_strstr(a, b) == strstr(a, b) && model___selvedge_memchr(a, c, length) == memchr(a, c, length));
    size_t common = length < strlen(b) ? length : strlen(b);
    CHECK(sign(model___selvedge_memcmp(a, b, common)) == sign(memcmp(a, b, common)));
    BOTH(memcpy, model___selvedge_memcpy, buffer + 40, buffer + at, n);
    BOTH(memmove, model___selvedge_memmove, buffer + at, buffer + n, 17);
    BOTH(memmove, model___selvedge_memmove, buffer + n, buffer + at, 17);
    BOTH(memset, model___selvedge_memset, buffer + at, c, n);
    BOTH(memccpy, model_memccpy, buffer + 40, buffer + at, c, n);
    BOTH(mempcpy, model_mempcpy, buffer + 40, buffer + at, n);
    BOTH(strcpy, model___selvedge_strcpy, buffer + 40, a);
    BOTH(strncpy, model___selvedge_strncpy, buffer + 40, a, n);
    BOTH(strcat, model___selvedge_strcat, buffer + at, b);
    BOTH(strncat, model___selvedge_strncat, buffer + at, b, n);
    BOTH(stpcpy, model_stpcpy, buffer + 40, a);
    BOTH(stpncpy, model_stpncpy, buffer + 40, a, n);
    splitting(a, b);
    char *copy = model_strndup(a, n), *words_copy = model___selvedge_strdup(a), *libc_copy = strndup(a, n);
    CHECK(strcmp(copy, libc_copy) == 0 && strcmp(words_copy, a) == 0);
    free(copy);
    free(words_copy);
    free(libc_copy);
    char small[16], expected[16];
    snprintf(expected, sizeof expected, "%s", a);
    CHECK(model_strlcpy(small, a, sizeof small) == length && strcmp(small, expected) == 0);
    snprintf(expected, sizeof expected, "%s%s", small, b);
    CHECK(model_strlcat(small, b, sizeof small) == (length < 15 ? length : 15) + strlen(b));
    CHECK(strcmp(small, expected) == 0);
    CHECK(model_strxfrm(small, a, sizeof small) == length);
    memset(here, '#', 64), memset(there, '#', 64);
    swab(a, here, (ssize_t)length), model_swab(a, there, (ssize_t)length);
    CHECK(memcmp(here, there, length & ~(size_t)1) == 0);
}

static void texts(void)
{
    unsigned seed = 7;
    for (int round = 0; round < 20000; round++) {
        char a[24], b[6];
        int length = rand_r(&seed) % 20, part = rand_r(&seed) % 4;
        for (int i = 0; i < length; i++)
            a[i] = "abcAB"[rand_r(&seed) % 5];
        for (int i = 0; i < part; i++)
            b[i] = "abcAB"[rand_r(&seed) % 5];
        a[length] = b[part] = 0;
        text(a, b, "abcAB"[rand_r(&seed) % 6], (size_t)(rand_r(&seed) % 20), (size_t)(rand_r(&seed) % 16));
    }
}

int main(void)
{
    characters();
    numbers();
    integers();
    sorting();
    texts();
    printf("%d differences\n", failures);
    return failures != 0;
}
