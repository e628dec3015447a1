// Compares the model library with the libc of this machine, on fixed and on random arguments. The library's functions
// carry the prefix `model_` here (tests/library.rs renames them).

#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <search.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <arpa/inet.h>
#include <sys/mman.h>
#include <unistd.h>

#define MODEL(result, name, ...) extern result model_##name(__VA_ARGS__)
#define SYMBOLIC(result, name, ...) extern result model___selvedge_symbolic_##name(__VA_ARGS__)

static int failures;
static const char *concerned = "";

#define CHECK(condition)                                                                      \
    do {                                                                                      \
        if (!(condition) && failures++ < 20)                                                  \
            printf("line %d: %s: %s\n", __LINE__, concerned, #condition);                     \
    } while (0)

// What the library says where it stops: no test may get there.
void __selvedge_unsupported(const char *what);
void __selvedge_unsupported(const char *what)
{
    printf("unsupported: %s\n", what);
    fflush(stdout);
    abort();
}

// A model of the machine; streams are tested within it.
int __selvedge_unread(const unsigned char *byte, FILE *stream);
int __selvedge_unread(const unsigned char *byte, FILE *stream)
{
    return ungetc(*byte, stream) == EOF ? -1 : 0;
}

// A model of the machine: a thread always exists here.
int __selvedge_exists(pthread_t thread);
int __selvedge_exists(pthread_t thread)
{
    (void)thread;
    return 0;
}

// Models of the machine for the call futex, which no test makes.
int __selvedge_futex_wait(unsigned *word, unsigned value, int timed, int own);
int __selvedge_futex_wait(unsigned *word, unsigned value, int timed, int own)
{
    printf("a futex wait: %u %u %d\n", *word, value, timed);
    abort();
}
int __selvedge_futex_wake(unsigned *word, unsigned most, int timed, int own);
int __selvedge_futex_wake(unsigned *word, unsigned most, int timed, int own)
{
    printf("a futex wakeup: %u\n", *word);
    abort();
}
int __selvedge_futex_wake_many(unsigned *word, unsigned most, int timed, int own);
int __selvedge_futex_wake_many(unsigned *word, unsigned most, int timed, int own) { return __selvedge_futex_wake(word, most, timed, own); }

// The rest of the machine, which no test calls: directories, queues, peers and time-outs are tested
// in the machine (crates/vm/tests/files, crates/cli/tests).
#define MACHINE(result, name, ...)        \
    result __selvedge_##name(__VA_ARGS__); \
    result __selvedge_##name(__VA_ARGS__)  \
    {                                      \
        puts("a call of " #name);          \
        abort();                           \
    }
MACHINE(int, peer_byte, int client, long at)
MACHINE(int, peer_count, void)
MACHINE(int, peer_accept, int fd, void *address, unsigned *size)
MACHINE(int, peer_socket, int family, int type, int protocol)
MACHINE(unsigned char, packet_byte, void)
MACHINE(ssize_t, getcwd, char *to, size_t size)
MACHINE(long, readable, int fd)
MACHINE(int, reopen, FILE *stream, int how)
MACHINE(int, unnamed_file, int flags)
MACHINE(int, may_time_out, void)
MACHINE(int, queue_descriptor, void)
MACHINE(int, signal_file, unsigned long set, int flags)
MACHINE(int, wait_ended, long seconds, long nanoseconds, int from_now, int timed_out)

// Directories are those of this machine.
ssize_t __selvedge_getdents(int fd, void *to, size_t size);
ssize_t __selvedge_getdents(int fd, void *to, size_t size) { return getdents64(fd, to, size); }

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
    static const char alphabet[] = "0123456789abxXfzZ@[`{/:-+ \t\n\v\f\r\b\x0e\x80\xff";
    unsigned seed = 1;
    for (int i = 0; i < 20000; i++) {
        char text[26];
        int length = rand_r(&seed) % 25;
        // Mostly digits, or few numbers would be long.
        unsigned variety = rand_r(&seed) % 4 ? 14 : sizeof alphabet - 1;
        for (int j = 0; j < length; j++)
            text[j] = alphabet[(unsigned)rand_r(&seed) % variety];
        if (length > 0 && rand_r(&seed) % 2)
            text[0] = "-+ \t"[rand_r(&seed) % 4];
        text[length] = 0;
        number(text, rand_r(&seed) % 2 ? bases[(unsigned)rand_r(&seed) % 7] : (int)((unsigned)rand_r(&seed) % 40) - 1);
    }
    // Around the limits, in all bases.
    static const unsigned long long limits[] = {LLONG_MAX, 1ull << 63, ULLONG_MAX, ULLONG_MAX / 2 - 40, 0};
    for (int base = 2; base <= 36; base++)
        for (int i = 0; i < 5; i++)
            for (unsigned long long delta = 0; delta < 60; delta++)
                for (int negative = 0; negative < 2; negative++) {
                    char text[80] = "", *at = text + 79;
                    unsigned __int128 value = (unsigned __int128)limits[i] + delta;
                    do
                        *--at = "0123456789abcdefghijklmnopqrstuvwxyz"[value % (unsigned)base];
                    while (value /= (unsigned)base);
                    if (delta % 3 == 0)
                        *--at = '0';
                    if (negative)
                        *--at = '-';
                    number(at, base);
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
    unsigned bits = 5;
    for (int i = 0; i < 20000; i++) {
        unsigned long long x = 0;
        for (int j = 0; j < 5; j++)
            x = x << 15 ^ (unsigned)rand_r(&bits);
        x = rand_r(&bits) % 2 ? x << ((unsigned)rand_r(&bits) % 64) : x >> ((unsigned)rand_r(&bits) % 64);
        CHECK(model_ffsll((long long)x) == ffsll((long long)x) && model_ffs((int)x) == ffs((int)x));
        CHECK((int)x == INT_MIN || model_abs((int)x) == abs((int)x));
        CHECK((long)x == LONG_MIN || (model_labs((long)x) == labs((long)x) && model_llabs((long)x) == llabs((long)x)));
    }
    unsigned seed = 42, model_seed = 42;
    for (int i = 0; i < 1000; i++)
        CHECK(model_rand_r(&model_seed) == rand_r(&seed) && model_seed == seed);
    for (int i = -3; i < 200; i++)
        CHECK(strcmp(model_strerror(i), strerror(i)) == 0);
}

MODEL(void, qsort, void *, size_t, size_t, int (*)(const void *, const void *));
MODEL(void, qsort_r, void *, size_t, size_t, int (*)(const void *, const void *, void *), void *);
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

static int by_first_byte(const void *a, const void *b) { return *(const unsigned char *)a - *(const unsigned char *)b; }

static int by_first_byte_r(const void *a, const void *b, void *calls)
{
    ++*(int *)calls;
    return by_first_byte(a, b);
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
    // Elements of every size: the first byte is the key, all of its others tell that the element moved as a whole.
    for (int round = 0; round < 20000; round++) {
        size_t count = (unsigned)rand_r(&seed) % 24, size = 1 + (unsigned)rand_r(&seed) % 17;
        _Alignas(8) unsigned char here[24 * 17 + 8], there[24 * 17 + 8];
        size_t offset = (unsigned)rand_r(&seed) % 3;
        for (size_t i = 0; i < count; i++)
            memset(here + offset + i * size, rand_r(&seed) % 40, size);
        memcpy(there, here, sizeof here);
        qsort(here + offset, count, size, by_first_byte);
        int calls = 0;
        model_qsort_r(there + offset, count, size, by_first_byte_r, &calls);
        CHECK(memcmp(here + offset, there + offset, count * size) == 0);
        CHECK(count < 2 || calls > 0);
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
SYMBOLIC(int, memcmp, const void *, const void *, size_t);
SYMBOLIC(void *, memchr, const void *, int, size_t);
SYMBOLIC(size_t, strlen, const char *);
SYMBOLIC(size_t, strnlen, const char *, size_t);
SYMBOLIC(char *, strcpy, char *, const char *);
SYMBOLIC(char *, __stpcpy, char *, const char *);
SYMBOLIC(char *, strncpy, char *, const char *, size_t);
SYMBOLIC(char *, strcat, char *, const char *);
SYMBOLIC(char *, strncat, char *, const char *, size_t);
SYMBOLIC(int, strcmp, const char *, const char *);
SYMBOLIC(int, strncmp, const char *, const char *, size_t);
SYMBOLIC(char *, strchr, const char *, int);
SYMBOLIC(char *, strrchr, const char *, int);
SYMBOLIC(char *, strstr, const char *, const char *);
SYMBOLIC(char *, strdup, const char *);
SYMBOLIC(char *, __strdup, const char *);
SYMBOLIC(char *, __strndup, const char *, size_t);
SYMBOLIC(char *, __strcpy_chk, char *, const char *, size_t);
SYMBOLIC(char *, __stpcpy_chk, char *, const char *, size_t);
SYMBOLIC(char *, __strncpy_chk, char *, const char *, size_t, size_t);
SYMBOLIC(char *, __strcat_chk, char *, const char *, size_t);
SYMBOLIC(char *, __strncat_chk, char *, const char *, size_t, size_t);

// The fortified ones, with a destination that is just large enough.
static char *strcpy_chk(char *to, const char *from)
{
    return model___selvedge_symbolic___strcpy_chk(to, from, strlen(from) + 1);
}

static char *stpcpy_chk(char *to, const char *from)
{
    return model___selvedge_symbolic___stpcpy_chk(to, from, strlen(from) + 1);
}

static char *strncpy_chk(char *to, const char *from, size_t n)
{
    return model___selvedge_symbolic___strncpy_chk(to, from, n, n);
}

static char *strcat_chk(char *to, const char *from)
{
    return model___selvedge_symbolic___strcat_chk(to, from, strlen(to) + strlen(from) + 1);
}

static char *strncat_chk(char *to, const char *from, size_t n)
{
    return model___selvedge_symbolic___strncat_chk(to, from, n, strlen(to) + strnlen(from, n) + 1);
}

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
    CHECK(model___selvedge_symbolic_strlen(a) == length && model___selvedge_symbolic_strnlen(a, n) == strnlen(a, n));
    CHECK(sign(model___selvedge_symbolic_strcmp(a, b)) == sign(strcmp(a, b)));
    CHECK(sign(model___selvedge_symbolic_strncmp(a, b, n)) == sign(strncmp(a, b, n)));
    CHECK(model___selvedge_symbolic_strchr(a, c) == strchr(a, c) && model___selvedge_symbolic_strrchr(a, c) == strrchr(a, c));
    CHECK(model___selvedge_symbolic_strstr(a, b) == strstr(a, b) && model___selvedge_symbolic_memchr(a, c, length) == memchr(a, c, length));
    size_t common = length < strlen(b) ? length : strlen(b);
    CHECK(sign(model___selvedge_symbolic_memcmp(a, b, common)) == sign(memcmp(a, b, common)));
    BOTH(memccpy, model_memccpy, buffer + 40, buffer + at, c, n);
    BOTH(mempcpy, model_mempcpy, buffer + 40, buffer + at, n);
    BOTH(strcpy, model___selvedge_symbolic_strcpy, buffer + 40, a);
    BOTH(strncpy, model___selvedge_symbolic_strncpy, buffer + 40, a, n);
    BOTH(strcat, model___selvedge_symbolic_strcat, buffer + at, b);
    BOTH(strncat, model___selvedge_symbolic_strncat, buffer + at, b, n);
    BOTH(stpcpy, model___selvedge_symbolic___stpcpy, buffer + 40, a);
    BOTH(strcpy, strcpy_chk, buffer + 40, a);
    BOTH(stpcpy, stpcpy_chk, buffer + 40, a);
    BOTH(strncpy, strncpy_chk, buffer + 40, a, n);
    BOTH(strcat, strcat_chk, buffer + at, b);
    BOTH(strncat, strncat_chk, buffer + at, b, n);
    BOTH(stpcpy, model_stpcpy, buffer + 40, a);
    BOTH(stpncpy, model_stpncpy, buffer + 40, a, n);
    splitting(a, b);
    char *expected_copy = strndup(a, n);
    char *copies[] = {
        model_strndup(a, n), model___selvedge_symbolic___strndup(a, n),
        model___selvedge_symbolic_strdup(a), model___selvedge_symbolic___strdup(a),
    };
    for (int i = 0; i < 4; i++) {
        CHECK(strcmp(copies[i], i < 2 ? expected_copy : a) == 0);
        free(copies[i]);
    }
    free(expected_copy);
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

// The end of readable memory: what is read beyond kills the program.
static char *end_of_page(void)
{
    long size = sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 2 * (size_t)size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages + size, (size_t)size, PROT_NONE) != 0)
        abort();
    return pages + size;
}

// Bytes without terminator at the end of memory: where a limit is the only thing that stops the function.
static void limits(const char *a, const char *b, int c, size_t n)
{
    concerned = "limits";
    CHECK(model___selvedge_symbolic_strnlen(a, n) == strnlen(a, n));
    CHECK(sign(model___selvedge_symbolic_strncmp(a, b, n)) == sign(strncmp(a, b, n)));
    CHECK(sign(model_strncasecmp(a, b, n)) == sign(strncasecmp(a, b, n)));
    CHECK(sign(model___selvedge_symbolic_memcmp(a, b, n)) == sign(memcmp(a, b, n)));
    CHECK(model___selvedge_symbolic_memchr(a, c, n) == memchr(a, c, n) && model_memrchr(a, c, n) == memrchr(a, c, n));
    char x[96] = {'x'}, y[96] = {'x'};
    strncpy(x, a, n), model___selvedge_symbolic_strncpy(y, a, n);
    CHECK(memcmp(x, y, sizeof x) == 0);
    strncat(strcpy(x, "-"), a, n), model___selvedge_symbolic_strncat(strcpy(y, "-"), a, n);
    CHECK(memcmp(x, y, sizeof x) == 0);
    char *copy = model___selvedge_symbolic___strndup(a, n);
    CHECK(strlen(copy) == strnlen(a, n) && memcmp(copy, a, strlen(copy)) == 0);
    free(copy);
}

static void texts(void)
{
    // Some bytes are negative as a char: they compare as unsigned ones.
    static const char letters[] = "abcAB\x80\xff\x01";
    unsigned seed = 7;
    char *const first = end_of_page(), *const second = end_of_page();
    for (int round = 0; round < 20000; round++) {
        int length = rand_r(&seed) % 20, part = rand_r(&seed) % 4;
        char *a = first - length - 1, *b = second - part - 1;
        // Few letters are often equal, many are often different.
        unsigned variety = 2 + (unsigned)rand_r(&seed) % 7;
        for (int i = 0; i < length; i++)
            a[i] = letters[(unsigned)rand_r(&seed) % variety];
        for (int i = 0; i < part; i++)
            b[i] = letters[(unsigned)rand_r(&seed) % variety];
        a[length] = b[part] = 0;
        text(a, b, letters[(unsigned)rand_r(&seed) % 9], (size_t)(rand_r(&seed) % 20), (size_t)(rand_r(&seed) % 16));

        size_t n = (size_t)(rand_r(&seed) % 90);
        a = first - n, b = second - n;
        for (size_t i = 0; i < n; i++)
            a[i] = letters[(unsigned)rand_r(&seed) % variety];
        memcpy(b, a, n);
        if (n > 0 && rand_r(&seed) % 4 != 0)
            b[(unsigned)rand_r(&seed) % n] = letters[(unsigned)rand_r(&seed) % 9];
        if (n > 0 && rand_r(&seed) % 4 == 0)
            a[(unsigned)rand_r(&seed) % n] = 0;
        limits(a, b, letters[(unsigned)rand_r(&seed) % 9], n);
    }
}

MODEL(int, sigemptyset, sigset_t *);
MODEL(int, sigfillset, sigset_t *);
MODEL(int, sigaddset, sigset_t *, int);
MODEL(int, sigdelset, sigset_t *, int);
MODEL(int, sigismember, const sigset_t *, int);

static void signals(void)
{
    concerned = "sets of signals";
    sigset_t a, b;
    memset(&a, 0x5a, sizeof a), memset(&b, 0x5a, sizeof b);
    CHECK(sigemptyset(&a) == model_sigemptyset(&b) && memcmp(&a, &b, sizeof a) == 0);
    for (int number = -1; number < 70; number++) {
        CHECK(sigaddset(&a, number) == model_sigaddset(&b, number) && memcmp(&a, &b, sizeof a) == 0);
        CHECK(sigismember(&a, number) == model_sigismember(&b, number));
    }
    CHECK(sigfillset(&a) == model_sigfillset(&b) && memcmp(&a, &b, sizeof a) == 0);
    for (int number = -1; number < 70; number += 3) {
        CHECK(sigdelset(&a, number) == model_sigdelset(&b, number) && memcmp(&a, &b, sizeof a) == 0);
        CHECK(sigismember(&a, number) == model_sigismember(&b, number));
    }
}

int __selvedge_futexes_poll(void);
int __selvedge_futexes_poll(void) { return 0; }
int __selvedge_is_alone(void);
int __selvedge_is_alone(void) { return 1; }
unsigned long __selvedge_set_mask(unsigned long mask);
unsigned long __selvedge_set_mask(unsigned long mask)
{
    sigset_t after = {{mask}}, before;
    return pthread_sigmask(SIG_SETMASK, &after, &before) ? abort(), 0 : before.__val[0];
}
unsigned long __selvedge_mask(void);
unsigned long __selvedge_mask(void)
{
    sigset_t now;
    return pthread_sigmask(SIG_SETMASK, 0, &now) ? abort(), 0 : now.__val[0];
}
// Natives that only several threads, handlers at points or sigwait come to.
int __selvedge_delivers(void);
int __selvedge_sends_to_process(void);
void __selvedge_act_for(unsigned long thread);
int __selvedge_delivers(void) { return 0; }
int __selvedge_sends_to_process(void) { return 0; }
void __selvedge_act_for(unsigned long thread) { thread == 0 || (abort(), 0); }
int __selvedge_blocks(pthread_t thread, int number);
int __selvedge_all_block(int number);
int __selvedge_outside(int count);
int __selvedge_blocks(pthread_t thread, int number) { return thread == 0 || number == 0 || (abort(), 0); }
int __selvedge_all_block(int number) { return number == 0 || (abort(), 0); }
int __selvedge_outside(int count) { return count == 0 || (abort(), 0); }
int __selvedge_claim(_Atomic int *word, int when, int then);
int __selvedge_claim(_Atomic int *word, int when, int then) { return atomic_compare_exchange_strong(word, &when, then); }
// std::condition_variable::wait
void _ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(void *c, void *lock);
void _ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(void *c, void *lock) { c == lock || (abort(), 0); }
MODEL(int, raise, int);
MODEL(int, kill, pid_t, int);
MODEL(int, pthread_kill, pthread_t, int);

// What handlers saw: the number, where it came from, which signals were blocked.
static long seen[6];

static void handler(int number)
{
    sigset_t mask;
    sigprocmask(SIG_BLOCK, 0, &mask);
    seen[0] = seen[0] * 7 + number;
    seen[1] = (long)mask.__val[0];
}

static void informed(int number, siginfo_t *info, void *context)
{
    handler(number);
    seen[2] = info->si_signo, seen[3] = info->si_code, seen[4] = info->si_pid, seen[5] = info->si_uid;
    CHECK(context != 0);
}

static int send_it(int model, int how, int number)
{
    switch (how * 2 + model) {
    case 0: return raise(number);
    case 1: return model_raise(number);
    case 2: return kill(getpid(), number);
    case 3: return model_kill(getpid(), number);
    case 4: return pthread_kill(pthread_self(), number);
    default: return model_pthread_kill(pthread_self(), number);
    }
}

static void sending(void)
{
    concerned = "raise";
    unsigned seed = 9;
    static const int numbers[] = {SIGHUP, SIGINT, SIGUSR1, SIGCHLD, SIGURG, SIGTERM, 34, 64, 0, -1, 65, 32, 33};
    for (int round = 0; round < 20000; round++) {
        int number = numbers[(unsigned)rand_r(&seed) % 13], how = rand_r(&seed) % 3, kind = rand_r(&seed) % 4;
        // The real raise(0) asks whether there is a thread; nobody does that.
        if (how == 0 && number == 0)
            continue;
        // Those of the C library itself, sent by somebody else.
        if (how == 1 && (number == 32 || number == 33))
            continue;
        struct sigaction action = {0}, after[2];
        action.sa_handler = handler;
        if (kind == 0)
            action.sa_handler = number == SIGCHLD || number == SIGURG ? SIG_DFL : SIG_IGN;
        if (kind == 1)
            action.sa_sigaction = informed;
        action.sa_flags = (kind == 1 ? SA_SIGINFO : 0) | (rand_r(&seed) % 3 ? 0 : (int)SA_RESETHAND) | (rand_r(&seed) % 3 ? 0 : SA_NODEFER);
        if (rand_r(&seed) % 2)
            sigaddset(&action.sa_mask, SIGUSR2);
        long results[2][9];
        for (int model = 0; model < 2; model++) {
            sigaction(number, &action, 0);
            memset(seen, 0, sizeof seen);
            errno = 0;
            memset(results[model], 0, sizeof results[model]);
            results[model][0] = send_it(model, how, number);
            results[model][1] = errno;
            memcpy(results[model] + 2, seen, sizeof seen);
            sigset_t mask;
            sigprocmask(SIG_BLOCK, 0, &mask);
            results[model][8] = (long)mask.__val[0];
            memset(&after[model], 0, sizeof after[model]);
            sigaction(number, 0, &after[model]);
        }
        for (int i = 0; i < 9; i++)
            CHECK(results[0][i] == results[1][i]);
        CHECK(after[0].sa_handler == after[1].sa_handler);
    }
}

#define ARGUMENTS 7
MODEL(int, getopt, int, char *const *, const char *);
MODEL(int, __posix_getopt, int, char *const *, const char *);
MODEL(int, getopt_long, int, char *const *, const char *, const struct option *, int *);
MODEL(int, getopt_long_only, int, char *const *, const char *, const struct option *, int *);
MODEL(int, getsubopt, char **, char *const *, char **);
extern char *model_optarg;
extern int model_optind, model_opterr, model_optopt;
int __posix_getopt(int, char *const *, const char *);

static int flags[2];

static int next_option(int model, int how, int count, char **words, const char *letters, int *index)
{
    const struct option names[] = {
        {"alpha", no_argument, 0, 'a'},      {"alps", no_argument, 0, 'a'},   {"beta", required_argument, 0, 'b'},
        {"be", optional_argument, 0, 'q'},   {"bet", no_argument, 0, 300},    {"flag", no_argument, &flags[model], 7},
        {"flagged", required_argument, 0, 1}, {"x", required_argument, 0, 'x'}, {0, 0, 0, 0},
    };
    switch (how * 2 + model) {
    case 0: return getopt(count, words, letters);
    case 1: return model_getopt(count, words, letters);
    case 2: return __posix_getopt(count, words, letters);
    case 3: return model___posix_getopt(count, words, letters);
    case 4: return getopt_long(count, words, letters, names, index);
    case 5: return model_getopt_long(count, words, letters, names, index);
    case 6: return getopt_long_only(count, words, letters, names, index);
    default: return model_getopt_long_only(count, words, letters, names, index);
    }
}

static void options(void)
{
    concerned = "getopt";
    static char *const words[] = {
        "-a", "-b", "-bval", "-ab", "-c", "-cval", "--", "-", "operand", "other", "--alpha", "--al", "--alp=1", "--beta", "--beta=v",
        "--be", "--bet", "--be=w", "--b", "--f", "--flag", "--flagg", "--flagged", "--none", "-x", "-xy", "-alpha", "-beta", "-Wbeta", "-W", "beta=u",
        "-z", "-:", "--=x", "", "-flag", "-a-", "--x=", "-;"};
    static char *const letters[] = {"ab:c::", "+ab:c::", "-ab:c::", ":ab:c::", "+:ab:", "-:b:c::", "", "ab:W;x:", ":W;", "-W;a", "a;"};
    unsigned seed = 5;
    for (int round = 0; round < 200000; round++) {
        char *a[ARGUMENTS + 2], *b[ARGUMENTS + 2];
        int count = (int)((unsigned)rand_r(&seed) % (ARGUMENTS + 1)), how = rand_r(&seed) % 4;
        a[0] = b[0] = "program";
        for (int i = 1; i <= count; i++)
            a[i] = b[i] = words[(unsigned)rand_r(&seed) % (sizeof words / sizeof *words)];
        count++;
        a[count] = b[count] = 0;
        const char *known = letters[(unsigned)rand_r(&seed) % (sizeof letters / sizeof *letters)];
        concerned = known;
        optind = model_optind = 0;
        opterr = model_opterr = 0;
        for (int calls = 0; calls < 20; calls++) {
            int index = -5, model_index = -5;
            int expected = next_option(0, how, count, a, known, &index);
            int found = next_option(1, how, count, b, known, &model_index);
            CHECK(found == expected && model_optind == optind && model_optarg == optarg && model_index == index);
            CHECK(expected != '?' && expected != ':' ? 1 : model_optopt == optopt);
            CHECK(flags[0] == flags[1] && memcmp(a, b, sizeof *a * (size_t)count) == 0);
            if (expected == -1)
                break;
            // A program may begin anew.
            if (rand_r(&seed) % 16 == 0)
                model_optind = optind = 0;
        }
    }
    concerned = "getsubopt";
    static char *const tokens[] = {"ro", "rw", "size", "s", "", 0};
    for (int round = 0; round < 20000; round++) {
        char a[16], b[16];
        int length = rand_r(&seed) % 15;
        for (int i = 0; i < length; i++)
            a[i] = b[i] = "ro,w=size"[rand_r(&seed) % 9];
        a[length] = b[length] = 0;
        char *rest = a, *model_rest = b;
        for (int calls = 0; calls < 20; calls++) {
            char *value = 0, *model_value = 0;
            int expected = getsubopt(&rest, tokens, &value), found = model_getsubopt(&model_rest, tokens, &model_value);
            CHECK(found == expected && rest - a == model_rest - b && memcmp(a, b, (size_t)length + 1) == 0);
            CHECK((value ? value - a : -1) == (model_value ? model_value - b : -1));
        }
    }
}

int posix(void);
int expressions(void);
int system_functions(void);

int main(void)
{
    failures += posix();
    failures += expressions();
    failures += system_functions();
    signals();
    sending();
    options();
    characters();
    numbers();
    integers();
    sorting();
    texts();
    printf("%d differences\n", failures);
    return failures != 0;
}
