// Compares the parts of the model library that POSIX has beside C with the libc of this machine: dates, random numbers of 48 bits,
// patterns, the environment, addresses. The library's functions carry the prefix `model_` here (tests/library.rs).

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/sysmacros.h>
#include <wchar.h>
#include <wctype.h>

char *__xpg_basename(char *path);
char *dirname(char *path);

#define MODEL(result, name, ...) extern result model_##name(__VA_ARGS__)

int posix(void);
static int failures;
static char concerned[256];

#define CHECK(condition)                                                  \
    do {                                                                  \
        if (!(condition) && failures++ < 20)                              \
            printf("line %d: %s: %s\n", __LINE__, concerned, #condition); \
    } while (0)

MODEL(struct tm *, gmtime_r, const time_t *, struct tm *);
MODEL(struct tm *, localtime_r, const time_t *, struct tm *);
MODEL(struct tm *, gmtime, const time_t *);
MODEL(time_t, timegm, struct tm *);
MODEL(time_t, mktime, struct tm *);
MODEL(char *, asctime_r, const struct tm *, char *);
MODEL(char *, ctime_r, const time_t *, char *);
MODEL(size_t, strftime, char *, size_t, const char *, const struct tm *);

static int same(const struct tm *a, const struct tm *b)
{
    return a->tm_sec == b->tm_sec && a->tm_min == b->tm_min && a->tm_hour == b->tm_hour && a->tm_mday == b->tm_mday &&
        a->tm_mon == b->tm_mon && a->tm_year == b->tm_year && a->tm_wday == b->tm_wday && a->tm_yday == b->tm_yday &&
        a->tm_isdst == b->tm_isdst && a->tm_gmtoff == b->tm_gmtoff && !strcmp(a->tm_zone, b->tm_zone);
}

static unsigned seed = 1;
static unsigned any(unsigned below) { return (unsigned)rand_r(&seed) % below; }

static void formats(const struct tm *date)
{
    static const char conversions[] = "aAbBcCdDeFgGhHIjklmMnpPrRsStTuUVwWxXyYzZ%", flags[] = "_-0^#";
    for (const char *c = conversions; *c; c++) {
        char format[16], ours[128], theirs[128];
        unsigned flag = any(3) == 0 ? any(5) + 1 : 0;
        // What glibc makes of an upper case name under `#`, and of flags for parts, is an accident.
        if (strchr("cDFrRTxXnt%psZzP", *c) || (strchr("aAbBh", *c) && flag == 5))
            flag = 0;
        snprintf(format, sizeof format, flag ? "[%%%c%c]" : "[%%%2$c]", flag ? flags[flag - 1] : *c, *c);
        snprintf(concerned, sizeof concerned, "%s of %ld-%d-%d", format, 1900L + date->tm_year, date->tm_mon + 1, date->tm_mday);
        size_t room = any(8) ? sizeof ours : any(12);
        size_t length = strftime(theirs, room, format, date);
        CHECK(model_strftime(ours, room, format, date) == length);
        CHECK(length == 0 || !strcmp(ours, theirs));
    }
}

static void dates(void)
{
    for (int round = 0; round < 20000; round++) {
        time_t when = (time_t)(((unsigned long)rand_r(&seed) << 31 ^ (unsigned long)rand_r(&seed)) >> any(40));
        if (any(2))
            when = -when;
        if (round == 0)
            when = LONG_MAX;
        if (round == 1)
            when = LONG_MIN;
        struct tm ours, theirs;
        snprintf(concerned, sizeof concerned, "the date %ld", when);
        struct tm *found = gmtime_r(&when, &theirs);
        CHECK(!model_gmtime_r(&when, &ours) == !found && (!found || same(&ours, &theirs)));
        if (!found)
            continue;
        CHECK(same(model_gmtime(&when), &theirs));
        CHECK(model_localtime_r(&when, &ours) && localtime_r(&when, &theirs) && same(&ours, &theirs));
        struct tm again = ours;
        CHECK(model_mktime(&again) == when && same(&again, &theirs));
        char a[128], b[128];
        char *text = asctime_r(&theirs, b);
        CHECK(!model_asctime_r(&theirs, a) == !text && (!text || !strcmp(a, b)));
        text = ctime_r(&when, b);
        CHECK(!model_ctime_r(&when, a) == !text && (!text || !strcmp(a, b)));
        if (theirs.tm_year > -2000 && theirs.tm_year < 9000)
            formats(&theirs);
        // What is not normal becomes so.
        struct tm odd = {.tm_sec = (int)any(5000) - 2000, .tm_min = (int)any(5000) - 2000, .tm_hour = (int)any(500) - 200,
            .tm_mday = (int)any(900) - 300, .tm_mon = (int)any(100) - 40, .tm_year = (int)any(700) - 200, .tm_zone = "?"};
        struct tm model = odd, utc = odd, model_utc = odd;
        CHECK(model_mktime(&model) == mktime(&odd) && same(&model, &odd));
        CHECK(model_timegm(&model_utc) == timegm(&utc) && same(&model_utc, &utc));
    }
}

MODEL(double, drand48, void);
MODEL(double, erand48, unsigned short *);
MODEL(long, lrand48, void);
MODEL(long, nrand48, unsigned short *);
MODEL(long, mrand48, void);
MODEL(long, jrand48, unsigned short *);
MODEL(void, srand48, long);
MODEL(unsigned short *, seed48, unsigned short *);
MODEL(void, lcong48, unsigned short *);

static void random_numbers(void)
{
    unsigned short own[3] = {1, 2, 3}, model_own[3] = {1, 2, 3}, parameters[7];
    for (int round = 0; round < 5000; round++) {
        unsigned what = any(10);
        snprintf(concerned, sizeof concerned, "random number %d", round);
        for (int i = 0; i < 7; i++)
            parameters[i] = (unsigned short)any(65536);
        if (what == 0 && any(8) == 0)
            lcong48(parameters), model_lcong48(parameters);
        if (what == 1 && any(4) == 0) {
            long s = (long)rand_r(&seed) - (1 << 30);
            srand48(s), model_srand48(s);
        }
        if (what == 2 && any(4) == 0)
            CHECK(!memcmp(seed48(parameters), model_seed48(parameters), 6));
        if (what == 3)
            CHECK(drand48() == model_drand48());
        if (what == 4)
            CHECK(erand48(own) == model_erand48(model_own) && !memcmp(own, model_own, 6));
        if (what == 5)
            CHECK(lrand48() == model_lrand48());
        if (what == 6)
            CHECK(nrand48(own) == model_nrand48(model_own));
        if (what == 7)
            CHECK(mrand48() == model_mrand48());
        if (what == 8)
            CHECK(jrand48(own) == model_jrand48(model_own));
    }
}

MODEL(int, fnmatch, const char *, const char *, int);

static void patterns(void)
{
    static const char letters[] = "ab/.*?[]!-\\^Ac", texts[] = "ab/.Ac-[*";
    static const int flags[] = {0, FNM_PATHNAME, FNM_PERIOD, FNM_PATHNAME | FNM_PERIOD, FNM_NOESCAPE, FNM_CASEFOLD, FNM_LEADING_DIR,
        FNM_PATHNAME | FNM_LEADING_DIR};
    for (int round = 0; round < 400000; round++) {
        char pattern[12], text[8];
        unsigned p = any(9), t = any(6), with = any(8);
        for (unsigned i = 0; i < p; i++)
            pattern[i] = letters[any(sizeof letters - 1)];
        for (unsigned i = 0; i < t; i++)
            text[i] = texts[any(sizeof texts - 1)];
        pattern[p] = text[t] = 0;
        // What a bracket expression that is none means is left open; so is a slash or a backslash in one, and an odd range.
        const char *bracket = strchr(pattern, '[');
        if (bracket && (strpbrk(bracket, "/\\") || strstr(bracket + 1, "[.") || strchr(bracket, '-') || !strchr(bracket + 1, ']')))
            continue;
        // glibc does not find a slash after an asterisk if a backslash is before it.
        if (strstr(pattern, "\\/"))
            continue;
        snprintf(concerned, sizeof concerned, "%s of %s, %x", pattern, text, flags[with]);
        CHECK(model_fnmatch(pattern, text, flags[with]) == fnmatch(pattern, text, flags[with]));
    }
    static const char *const fixed[][2] = {{"[a-c]x", "bx"}, {"[!a-c]x", "dx"}, {"[[:alpha:]]*", "q1"}, {"[[:digit:]-]", "-"}, {"[]a]", "]"},
        {"[^]a]", "b"}, {"*.c", "main.c"}, {"*.[ch]", "main.h"}, {"a*b*c", "aXXbYYc"}, {"a\\*", "a*"}, {"", ""}};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        snprintf(concerned, sizeof concerned, "%s of %s", fixed[i][0], fixed[i][1]);
        CHECK(model_fnmatch(fixed[i][0], fixed[i][1], 0) == fnmatch(fixed[i][0], fixed[i][1], 0));
    }
}

MODEL(char *, getenv, const char *);
MODEL(int, setenv, const char *, const char *, int);
MODEL(int, unsetenv, const char *);
MODEL(int, putenv, char *);
MODEL(int, clearenv, void);

// Both have one `environ`, so one acts, and then the other one.
static void environment(void)
{
    static char *const names[] = {"A", "B", "AB", "", "A=", "C"};
    static char *const strings[] = {"A=put", "B=", "C", "AB=x=y"};
    static char log[2][200000];
    for (int model = 0; model < 2; model++) {
        unsigned kept = seed;
        size_t at = 0;
        environ = 0;
        for (int round = 0; round < 3000; round++) {
            char *name = names[any(6)], *string = strings[any(4)], value[8];
            int overwrites = (int)any(2), result = 0;
            snprintf(value, sizeof value, "%u", any(100));
            errno = 0;
            switch (any(12)) {
            case 0: case 1: case 2:
                result = model ? model_setenv(name, value, overwrites) : setenv(name, value, overwrites);
                break;
            case 3: case 4:
                result = model ? model_unsetenv(name) : unsetenv(name);
                break;
            case 5:
                result = model ? model_putenv(string) : putenv(string);
                break;
            case 6:
                if (any(8) == 0)
                    result = model ? model_clearenv() : clearenv();
                break;
            default:;
                char *found = model ? model_getenv(name) : getenv(name);
                at += (size_t)snprintf(log[model] + at, sizeof log[model] - at, "%s,", found ? found : "-");
            }
            at += (size_t)snprintf(log[model] + at, sizeof log[model] - at, "%d %d\n", result, result ? errno : 0);
        }
        if (!model)
            seed = kept;
    }
    environ = 0; // libc has moved the array that was there
    snprintf(concerned, sizeof concerned, "the environment");
    CHECK(!strcmp(log[0], log[1]) && strlen(log[0]) > 10000);
}

MODEL(int, inet_aton, const char *, struct in_addr *);
MODEL(in_addr_t, inet_addr, const char *);
MODEL(int, inet_pton, int, const char *, void *);
MODEL(const char *, inet_ntop, int, const void *, char *, socklen_t);
MODEL(char *, __xpg_basename, char *);
MODEL(char *, basename, const char *);
MODEL(char *, dirname, char *);
MODEL(unsigned, gnu_dev_major, unsigned long);
MODEL(unsigned, gnu_dev_minor, unsigned long);
MODEL(unsigned long, gnu_dev_makedev, unsigned, unsigned);
MODEL(wctype_t, wctype, const char *);
MODEL(int, iswctype, wint_t, wctype_t);
MODEL(long, a64l, const char *);
MODEL(char *, l64a, long);
MODEL(char *, strsignal, int);
MODEL(size_t, mbstowcs, wchar_t *, const char *, size_t);
MODEL(size_t, wcstombs, char *, const wchar_t *, size_t);
MODEL(int, sched_get_priority_min, int);
MODEL(int, sched_get_priority_max, int);
MODEL(sem_t *, sem_open, const char *, int, ...);
MODEL(int, sem_close, sem_t *);
MODEL(int, sem_unlink, const char *);

static void addresses(void)
{
    static const char letters[] = "0:1:f:.:2:9", *const parts[] = {"1.2.3.4", "::", "ffff:", "0:", "a1:", "1", "0"};
    for (int round = 0; round < 400000; round++) {
        char text[80] = "", ours[64] = "", theirs[64] = "";
        unsigned char to[16] = {0}, there[16] = {0};
        for (unsigned i = any(10); i; i--)
            any(2) ? strcat(text, parts[any(7)]) : strncat(text, &letters[any(sizeof letters - 1)], 1);
        snprintf(concerned, sizeof concerned, "%s", text);
        int family = any(4) ? AF_INET6 : AF_INET, known = inet_pton(family, text, there);
        CHECK(model_inet_pton(family, text, to) == known && !memcmp(to, there, sizeof to));
        for (int i = 0; i < 16 && any(3); i++)
            there[any(16)] = any(2) ? 0 : (unsigned char)any(256);
        socklen_t room = any(4) ? sizeof ours : any(20);
        CHECK(!model_inet_ntop(family, there, ours, room) == !inet_ntop(family, there, theirs, room) && !strcmp(ours, theirs));
    }
}

static void paths(void)
{
    for (int round = 0; round < 100000; round++) {
        char text[12], again[12], *ours, *theirs;
        unsigned length = any(11);
        for (unsigned i = 0; i < length; i++)
            text[i] = "//a."[any(4)];
        text[length] = 0;
        snprintf(concerned, sizeof concerned, "%s", text);
        CHECK(model_basename(text) == basename(text));
        strcpy(again, text);
        ours = model_dirname(text), theirs = dirname(again);
        CHECK(!strcmp(ours, theirs) && (ours == text) == (theirs == again));
        strcpy(text, concerned), strcpy(again, concerned);
        ours = model___xpg_basename(text), theirs = __xpg_basename(again);
        CHECK(!strcmp(ours, theirs) && (*concerned == 0 || ours - text == theirs - again));
    }
    for (int round = 0; round < 10000; round++) {
        unsigned long device = (unsigned long)any(1u << 31) << 33 ^ (unsigned long)any(1u << 31) << 8 ^ any(256);
        CHECK(model_gnu_dev_major(device) == gnu_dev_major(device) && model_gnu_dev_minor(device) == gnu_dev_minor(device));
        unsigned major = any(1u << 31) * 2, minor = any(1u << 31) * 2 + 1;
        CHECK(model_gnu_dev_makedev(major, minor) == gnu_dev_makedev(major, minor));
    }
    static const char *const classes[] = {"alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper",
        "xdigit", "none"};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        for (wint_t c = 0; c < 128; c++) {
            snprintf(concerned, sizeof concerned, "%s of %u", classes[i], c);
            CHECK(!model_iswctype(c, model_wctype(classes[i])) == !iswctype(c, wctype(classes[i])));
        }
}

static void rest(void)
{
    for (int round = 0; round < 100000; round++) {
        char text[24];
        unsigned length = any(16);
        for (unsigned i = 0; i < length; i++)
            text[i] = "0123456789.x.a 1"[any(16)];
        text[length] = 0;
        struct in_addr a = {7}, b = {7};
        snprintf(concerned, sizeof concerned, "the address %s", text);
        CHECK(model_inet_aton(text, &a) == inet_aton(text, &b) && a.s_addr == b.s_addr);
        CHECK(model_inet_addr(text) == inet_addr(text));
        long value = (int)((unsigned)rand_r(&seed) << 1 ^ (unsigned)rand_r(&seed)) >> any(32);
        snprintf(concerned, sizeof concerned, "the number %ld as text", value);
        CHECK(!strcmp(model_l64a(value), l64a(value)) && model_a64l(l64a(value)) == a64l(l64a(value)) && model_a64l(text) == a64l(text));
        wchar_t ours[24], theirs[24];
        size_t room = any(20), converted = mbstowcs(theirs, text, room);
        CHECK(model_mbstowcs(ours, text, room) == converted && !memcmp(ours, theirs, converted * sizeof *ours));
        CHECK(model_mbstowcs(0, text, 0) == mbstowcs(0, text, 0));
        mbstowcs(theirs, text, 24);
        char x[24], y[24];
        converted = wcstombs(y, theirs, room);
        CHECK(model_wcstombs(x, theirs, room) == converted && !memcmp(x, y, converted));
    }
    for (int number = -2; number < 70; number++) {
        snprintf(concerned, sizeof concerned, "the signal %d", number);
        CHECK(!strcmp(model_strsignal(number), strsignal(number)));
    }
    for (int policy = -1; policy < 6; policy++) {
        snprintf(concerned, sizeof concerned, "the policy %d", policy);
        CHECK(model_sched_get_priority_min(policy) == sched_get_priority_min(policy));
        CHECK(model_sched_get_priority_max(policy) == sched_get_priority_max(policy));
    }
    snprintf(concerned, sizeof concerned, "named semaphores");
    sem_t *one = model_sem_open("/one", O_CREAT | O_EXCL, 0600, 1u);
    CHECK(one != SEM_FAILED && model_sem_open("/one", 0) == one && model_sem_open("/two", 0) == SEM_FAILED && errno == ENOENT);
    CHECK(model_sem_open("/one", O_CREAT | O_EXCL, 0600, 1u) == SEM_FAILED && errno == EEXIST);
    CHECK(model_sem_unlink("/one") == 0 && model_sem_unlink("/one") == -1 && errno == ENOENT);
    sem_t *other = model_sem_open("/one", O_CREAT, 0600, 0u);
    CHECK(other != SEM_FAILED && other != one && sem_trywait(one) == 0 && sem_trywait(other) == -1);
    CHECK(model_sem_close(one) == 0 && model_sem_close(one) == 0 && model_sem_close(other) == 0 && model_sem_unlink("/one") == 0);
}

int posix(void)
{
    setenv("TZ", "UTC", 1);
    tzset();
    dates();
    random_numbers();
    patterns();
    addresses();
    paths();
    rest();
    environment();
    return failures;
}
