// Locales as objects. There is one, "C": a thread that uses it, and a function that is given it, do what they do without.
#define _GNU_SOURCE
#define __NO_CTYPE // no macros
#include <ctype.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <string.h>
#include <strings.h>
#include <stdlib.h>
#include <time.h>
#include <wctype.h>

void __selvedge_unsupported(const char *what);

// What macros of <ctype.h> read of it is glibc's.
extern const unsigned short __selvedge_ctype_classes[384];
extern const int __selvedge_ctype_lower[384], __selvedge_ctype_upper[384];

static struct __locale_struct only = {
    .__ctype_b = __selvedge_ctype_classes + 128,
    .__ctype_tolower = __selvedge_ctype_lower + 128,
    .__ctype_toupper = __selvedge_ctype_upper + 128,
    .__names = {"C", "C", "C", "C", "C", "C", "C", "C", "C", "C", "C", "C", "C"},
};

// What the thread uses; null: the global one.
static _Thread_local locale_t used;

locale_t newlocale(int categories, const char *name, locale_t base)
{
    (void)base;
    if (categories & ~LC_ALL_MASK || !name) {
        errno = EINVAL;
        return NULL;
    }
    if (*name && strcmp(name, "C") && strcmp(name, "POSIX")) {
        errno = ENOENT;
        return NULL;
    }
    return &only;
}

locale_t duplocale(locale_t locale)
{
    (void)locale;
    return &only;
}

void freelocale(locale_t locale) { (void)locale; }

locale_t uselocale(locale_t locale)
{
    locale_t before = used ? used : LC_GLOBAL_LOCALE;
    if (locale)
        used = locale == LC_GLOBAL_LOCALE ? NULL : locale;
    return before;
}

#define OF_BYTE(name) \
    int name##_l(int c, locale_t locale) { return (void)locale, name(c); } \
    int __##name##_l(int c, locale_t locale) { return (void)locale, name(c); }
OF_BYTE(isalnum)
OF_BYTE(isalpha)
OF_BYTE(isblank)
OF_BYTE(iscntrl)
OF_BYTE(isdigit)
OF_BYTE(isgraph)
OF_BYTE(islower)
OF_BYTE(isprint)
OF_BYTE(ispunct)
OF_BYTE(isspace)
OF_BYTE(isupper)
OF_BYTE(isxdigit)
OF_BYTE(tolower)
OF_BYTE(toupper)

#define OF_WIDE(type, name) \
    type name##_l(wint_t c, locale_t locale) { return (void)locale, name(c); }
OF_WIDE(int, iswalnum)
OF_WIDE(int, iswalpha)
OF_WIDE(int, iswblank)
OF_WIDE(int, iswcntrl)
OF_WIDE(int, iswdigit)
OF_WIDE(int, iswgraph)
OF_WIDE(int, iswlower)
OF_WIDE(int, iswprint)
OF_WIDE(int, iswpunct)
OF_WIDE(int, iswspace)
OF_WIDE(int, iswupper)
OF_WIDE(int, iswxdigit)
OF_WIDE(wint_t, towlower)
OF_WIDE(wint_t, towupper)

wctype_t wctype_l(const char *name, locale_t locale) { return (void)locale, wctype(name); }
int iswctype_l(wint_t c, wctype_t class, locale_t locale) { return (void)locale, iswctype(c, class); }

int strcoll_l(const char *a, const char *b, locale_t locale) { return (void)locale, strcoll(a, b); }
size_t strxfrm_l(char *to, const char *from, size_t room, locale_t locale) { return (void)locale, strxfrm(to, from, room); }
int strcasecmp_l(const char *a, const char *b, locale_t locale) { return (void)locale, strcasecmp(a, b); }
int strncasecmp_l(const char *a, const char *b, size_t count, locale_t locale) { return (void)locale, strncasecmp(a, b, count); }
char *strerror_l(int number, locale_t locale) { return (void)locale, strerror(number); }
char *nl_langinfo_l(nl_item item, locale_t locale) { return (void)locale, nl_langinfo(item); }

size_t strftime_l(char *restrict to, size_t room, const char *restrict format, const struct tm *restrict when, locale_t locale)
{
    (void)locale;
    return strftime(to, room, format, when);
}

long strtol_l(const char *restrict text, char **restrict end, int base, locale_t locale)
{
    (void)locale;
    return strtol(text, end, base);
}

unsigned long strtoul_l(const char *restrict text, char **restrict end, int base, locale_t locale)
{
    (void)locale;
    return strtoul(text, end, base);
}

long long strtoll_l(const char *restrict text, char **restrict end, int base, locale_t locale)
{
    (void)locale;
    return strtoll(text, end, base);
}

unsigned long long strtoull_l(const char *restrict text, char **restrict end, int base, locale_t locale)
{
    (void)locale;
    return strtoull(text, end, base);
}

double strtod_l(const char *restrict text, char **restrict end, locale_t locale)
{
    (void)locale;
    return strtod(text, end);
}

float strtof_l(const char *restrict text, char **restrict end, locale_t locale)
{
    (void)locale;
    return strtof(text, end);
}
