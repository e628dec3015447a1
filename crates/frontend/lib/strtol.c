// Numbers from text, in the C locale: strtol and its family. One function does the work for all widths: a sign, an
// optional prefix, digits; a value outside of the limits is clamped, with errno = ERANGE.
//
// A symbolic character makes one path where it ends the number and one where it does not; sign and value stay expressions.
//
// `__isoc23_*` are the names that newer glibc headers put in their place: C23 also knows the prefix 0b.

#include <errno.h>
#include <limits.h>
#include <stdint.h>

// The value of a digit, at least `base` if it is none. Without branches: a symbolic character makes no paths here.
static unsigned digit(char c, int base)
{
    unsigned byte = (unsigned char)c, number = byte - '0', letter = (byte | 32) - 'a';
    if (base <= 10)
        return number;
    unsigned is_number = -(unsigned)(number < 10), is_letter = -(unsigned)(letter < 26);
    return (number & is_number) | ((letter + 10) & is_letter) | ~(is_number | is_letter);
}

static int space(char c) { return (c == ' ') | ((unsigned char)(c - '\t') < 5); }

struct number {
    unsigned long long magnitude;
    // No number of so many digits is larger: while that is small, a symbolic value need not be compared with the limits.
    unsigned long long bound;
    int negative;
    int overflow;
};

// Reads the number at `text`. Sets *end (to `text` if there is no number; not at all if there is no such base).
static struct number parse(const char *text, char **end, int base, int c23)
{
    const char *at = text;
    struct number number = {0, 0, 0, 0};
    int any = 0;
    if (base < 0 || base == 1 || base > 36) {
        errno = EINVAL;
        return number;
    }
    if (end)
        *end = (char *)text;
    while (space(*at))
        at++;
    if ((*at == '+') | (*at == '-'))
        number.negative = *at++ == '-';
    if ((base == 0 || base == 16) && at[0] == '0' && ((at[1] | 32) == 'x') && digit(at[2], 16) < 16) {
        base = 16;
        at += 2;
    } else if (c23 && (base == 0 || base == 2) && at[0] == '0' && ((at[1] | 32) == 'b') && digit(at[2], 2) < 2) {
        base = 2;
        at += 2;
    } else if (base == 0) {
        base = at[0] == '0' ? 8 : 10;
    }
    const unsigned long long radix = (unsigned)base, largest = ULLONG_MAX / radix, last = ULLONG_MAX % radix;
    for (;; at++) {
        unsigned next = digit(*at, base);
        if (next >= radix)
            break;
        any = 1;
        if (number.bound < largest) {
            number.bound = number.bound * radix + radix - 1;
        } else {
            number.bound = ULLONG_MAX;
            if ((number.magnitude > largest) | ((number.magnitude == largest) & (next > last)))
                number.overflow = 1;
        }
        if (!number.overflow)
            number.magnitude = number.magnitude * radix + next;
    }
    if (any && end)
        *end = (char *)at;
    return number;
}

// The magnitude with its sign, in two's complement.
static unsigned long long with_sign(struct number number)
{
    return (number.magnitude ^ -(unsigned long long)number.negative) + (unsigned)number.negative;
}

static long long to_signed(const char *text, char **end, int base, int c23)
{
    struct number number = parse(text, end, base, c23);
    if (number.bound > LLONG_MAX) {
        unsigned long long limit = (unsigned long long)LLONG_MAX + (unsigned)number.negative;
        if (number.overflow || number.magnitude > limit) {
            errno = ERANGE;
            return number.negative ? LLONG_MIN : LLONG_MAX;
        }
    }
    return (long long)with_sign(number);
}

static unsigned long long to_unsigned(const char *text, char **end, int base, int c23)
{
    struct number number = parse(text, end, base, c23);
    if (number.overflow) {
        errno = ERANGE;
        return ULLONG_MAX;
    }
    return with_sign(number);
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
