// Numbers from text, in the C locale: strtol and its family. One function does the work for all widths: a sign, an
// optional prefix, digits; a value outside of the limits is clamped, with errno = ERANGE.
//
// `__isoc23_*` are the names that newer glibc headers put in their place: C23 also knows the prefix 0b.

#include <errno.h>
#include <limits.h>
#include <stdint.h>

enum { NO_DIGIT = 99 };

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'Z')
        return c - 'A' + 10;
    return NO_DIGIT;
}

static int space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// The magnitude of the number at `text`. Sets *negative, *end (to `text` if there is no number) and *overflow.
static unsigned long long magnitude(const char *text, char **end, int base, int c23, int *negative, int *overflow)
{
    const char *at = text;
    unsigned long long value = 0;
    int any = 0;
    *negative = 0;
    *overflow = 0;
    if (end)
        *end = (char *)text;
    if (base < 0 || base == 1 || base > 36) {
        errno = EINVAL;
        return 0;
    }
    while (space(*at))
        at++;
    if (*at == '+' || *at == '-')
        *negative = *at++ == '-';
    if ((base == 0 || base == 16) && at[0] == '0' && (at[1] == 'x' || at[1] == 'X') && digit(at[2]) < 16) {
        base = 16;
        at += 2;
    } else if (c23 && (base == 0 || base == 2) && at[0] == '0' && (at[1] == 'b' || at[1] == 'B') && digit(at[2]) < 2) {
        base = 2;
        at += 2;
    } else if (base == 0) {
        base = at[0] == '0' ? 8 : 10;
    }
    for (; digit(*at) < base; at++) {
        unsigned next = (unsigned)digit(*at);
        any = 1;
        if (value > (ULLONG_MAX - next) / (unsigned)base)
            *overflow = 1;
        else
            value = value * (unsigned)base + next;
    }
    if (any && end)
        *end = (char *)at;
    return value;
}

static long long to_signed(const char *text, char **end, int base, int c23)
{
    int negative, overflow;
    unsigned long long value = magnitude(text, end, base, c23, &negative, &overflow);
    unsigned long long limit = (unsigned long long)LLONG_MAX + (unsigned)negative;
    if (overflow || value > limit) {
        errno = ERANGE;
        return negative ? LLONG_MIN : LLONG_MAX;
    }
    return (long long)(negative ? 0 - value : value);
}

static unsigned long long to_unsigned(const char *text, char **end, int base, int c23)
{
    int negative, overflow;
    unsigned long long value = magnitude(text, end, base, c23, &negative, &overflow);
    if (overflow) {
        errno = ERANGE;
        return ULLONG_MAX;
    }
    return negative ? 0 - value : value;
}

// long and long long are 64 bits wide here.
long strtol(const char *text, char **end, int base) { return to_signed(text, end, base, 0); }
long long strtoll(const char *text, char **end, int base) { return to_signed(text, end, base, 0); }
intmax_t strtoimax(const char *text, char **end, int base) { return to_signed(text, end, base, 0); }
unsigned long strtoul(const char *text, char **end, int base) { return to_unsigned(text, end, base, 0); }
unsigned long long strtoull(const char *text, char **end, int base) { return to_unsigned(text, end, base, 0); }
uintmax_t strtoumax(const char *text, char **end, int base) { return to_unsigned(text, end, base, 0); }

long __isoc23_strtol(const char *text, char **end, int base) { return to_signed(text, end, base, 1); }
long long __isoc23_strtoll(const char *text, char **end, int base) { return to_signed(text, end, base, 1); }
intmax_t __isoc23_strtoimax(const char *text, char **end, int base) { return to_signed(text, end, base, 1); }
unsigned long __isoc23_strtoul(const char *text, char **end, int base) { return to_unsigned(text, end, base, 1); }
unsigned long long __isoc23_strtoull(const char *text, char **end, int base) { return to_unsigned(text, end, base, 1); }
uintmax_t __isoc23_strtoumax(const char *text, char **end, int base) { return to_unsigned(text, end, base, 1); }

int atoi(const char *text) { return (int)to_signed(text, 0, 10, 0); }
long atol(const char *text) { return to_signed(text, 0, 10, 0); }
long long atoll(const char *text) { return to_signed(text, 0, 10, 0); }
