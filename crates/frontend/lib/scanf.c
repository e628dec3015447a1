// The scanf family: one scanner for strings and streams. `%m…`, wide characters and long doubles are unsupported.
//
// A number is collected as text first, as the standard says: the longest prefix of what could be one; at most one byte beyond it is
// looked at and put back.

#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

// Not <stdio.h>: it would give the functions below other names.
typedef struct _IO_FILE FILE;
extern FILE *stdin;
int fgetc(FILE *stream);
int ungetc(int c, FILE *stream);
void flockfile(FILE *stream);
void funlockfile(FILE *stream);
#define EOF (-1)

void __selvedge_unsupported(const char *what);

struct source {
    FILE *stream;
    const char *text;
    int taken;
};

static int next(struct source *from)
{
    int c;
    if (from->stream) {
        c = fgetc(from->stream);
    } else {
        c = (unsigned char)*from->text;
        if (c == 0)
            return EOF;
        from->text++;
    }
    if (c != EOF)
        from->taken++;
    return c;
}

static void back(struct source *from, int c)
{
    if (c == EOF)
        return;
    from->taken--;
    if (from->stream)
        ungetc(c, from->stream);
    else
        from->text--;
}

static int space(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static void skip(struct source *from)
{
    int c = next(from);
    while (space(c))
        c = next(from);
    back(from, c);
}

static int digit(int c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'Z')
        return c - 'A' + 10;
    return 99;
}

// The longest number that is looked at.
enum { LONGEST = 256 };

// Collects an integer: 1 if there is one, 0 if not, EOF at the end of the input.
static int integer(struct source *from, int width, int base, char *out, int *actual)
{
    int used = 0, digits = 0;
    int c = next(from);
    if (c == EOF)
        return EOF;
    if ((c == '+' || c == '-') && width > 0) {
        out[used++] = (char)c;
        width--;
        c = width > 0 ? next(from) : EOF;
    }
    if (c == '0' && width > 0) {
        out[used++] = (char)c;
        digits = 1;
        width--;
        c = width > 0 ? next(from) : EOF;
        if ((base == 0 || base == 16) && (c == 'x' || c == 'X')) {
            out[used++] = (char)c;
            base = 16;
            digits = 0;
            width--;
            c = width > 0 ? next(from) : EOF;
        } else if (base == 0) {
            if (c == 'b' || c == 'B')
                __selvedge_unsupported("scanf of a binary number");
            base = 8;
        }
    }
    if (base == 0)
        base = 10;
    while (width > 0 && digit(c) < base) {
        if (used < LONGEST - 1)
            out[used++] = (char)c;
        else
            __selvedge_unsupported("scanf of a number of more than 255 digits");
        digits++;
        width--;
        c = width > 0 ? next(from) : EOF;
    }
    back(from, c);
    out[used] = 0;
    *actual = base;
    return digits > 0;
}

// Collects a number with a fraction.
static int fraction(struct source *from, int width, char *out)
{
    int used = 0, digits = 0;
    int c = next(from);
    if (c == EOF)
        return EOF;
#define TAKE() (out[used < LONGEST - 1 ? used++ : used] = (char)c, width--, c = width > 0 ? next(from) : EOF)
    if (c == '+' || c == '-')
        TAKE();
    if (c == 'i' || c == 'I' || c == 'n' || c == 'N')
        __selvedge_unsupported("scanf of inf or nan");
    while (c >= '0' && c <= '9') {
        digits++;
        TAKE();
    }
    if (digits == 1 && out[used - 1] == '0' && (c == 'x' || c == 'X'))
        __selvedge_unsupported("scanf of a hexadecimal fraction");
    if (c == '.') {
        TAKE();
        while (c >= '0' && c <= '9') {
            digits++;
            TAKE();
        }
    }
    // An exponent without digits counts as none, as in glibc.
    if (digits > 0 && (c == 'e' || c == 'E')) {
        TAKE();
        if (c == '+' || c == '-')
            TAKE();
        while (c >= '0' && c <= '9')
            TAKE();
    }
#undef TAKE
    back(from, c);
    out[used] = 0;
    return digits > 0;
}

static void store(void *to, int length, unsigned long long value)
{
    switch (length) {
    case -2:
        *(unsigned char *)to = (unsigned char)value;
        break;
    case -1:
        *(unsigned short *)to = (unsigned short)value;
        break;
    case 0:
        *(unsigned *)to = (unsigned)value;
        break;
    default:
        *(unsigned long long *)to = value;
    }
}

// A set of characters: the position behind it in the format.
static const char *set(const char *format, unsigned char in[256])
{
    int negated = 0, first = 1;
    if (*format == '^') {
        negated = 1;
        format++;
    }
    for (int i = 0; i < 256; i++)
        in[i] = (unsigned char)negated;
    for (; *format && (*format != ']' || first); format++) {
        first = 0;
        int low = (unsigned char)*format, high = low;
        if (format[1] == '-' && format[2] && format[2] != ']') {
            high = (unsigned char)format[2];
            format += 2;
        }
        for (int c = low; c <= high; c++)
            in[c] = (unsigned char)!negated;
    }
    return *format ? format + 1 : format;
}

static int scan(struct source *from, const char *format, va_list *arguments)
{
    int assigned = 0, c;
    char text[LONGEST];
    unsigned char in[256];
    while (*format) {
        if (space((unsigned char)*format)) {
            skip(from);
            format++;
            continue;
        }
        if (*format != '%' || format[1] == '%') {
            if (*format == '%') {
                format++;
                skip(from);
            }
            c = next(from);
            if (c == EOF)
                return assigned ? assigned : EOF;
            if (c != (unsigned char)*format) {
                back(from, c);
                return assigned;
            }
            format++;
            continue;
        }
        format++;
        int suppress = *format == '*', width = 0, length = 0;
        if (suppress)
            format++;
        if (*format == 'm')
            __selvedge_unsupported("scanf with %m");
        while (*format >= '0' && *format <= '9')
            width = width * 10 + (*format++ - '0');
        for (;; format++) {
            if (*format == 'h')
                length--;
            else if (*format == 'l' || *format == 'j' || *format == 'z' || *format == 't')
                length++;
            else if (*format == 'L')
                length += 4;
            else
                break;
        }
        char conversion = *format++;
        if (conversion != 'c' && conversion != '[' && conversion != 'n')
            skip(from);
        void *to = suppress ? NULL : va_arg(*arguments, void *);
        if (conversion == 'n') {
            if (!suppress)
                store(to, length, (unsigned long long)from->taken);
            continue;
        }
        int found = 0;
        switch (conversion) {
        case 'd':
        case 'i':
        case 'u':
        case 'x':
        case 'X':
        case 'o':
        case 'p': {
            int base = conversion == 'i' ? 0 : conversion == 'o' ? 8 : conversion == 'd' || conversion == 'u' ? 10 : 16;
            int negative_ok = conversion == 'd' || conversion == 'i';
            found = integer(from, width ? width : INT_MAX, base, text, &base);
            if (found != 1 || suppress)
                break;
            if (conversion == 'p')
                length = 1;
            store(to, length,
                  negative_ok ? (unsigned long long)strtoll(text, NULL, base) : strtoull(text, NULL, base));
            break;
        }
        case 'a':
        case 'e':
        case 'f':
        case 'g':
        case 'E':
        case 'F':
        case 'G':
            found = fraction(from, width ? width : INT_MAX, text);
            if (found != 1 || suppress)
                break;
            if (length == 0)
                *(float *)to = strtof(text, NULL);
            else if (length == 1)
                *(double *)to = strtod(text, NULL);
            else
                __selvedge_unsupported("scanf of a long double");
            break;
        case 'c': {
            char *at = to;
            int count = width ? width : 1, i = 0;
            if (length)
                __selvedge_unsupported("scanf of wide characters");
            while (i < count && (c = next(from)) != EOF) {
                if (!suppress)
                    at[i] = (char)c;
                i++;
            }
            found = i == 0 ? EOF : i == count;
            break;
        }
        case 's':
        case '[': {
            char *at = to;
            int count = width ? width : INT_MAX, i = 0;
            if (length)
                __selvedge_unsupported("scanf of wide characters");
            if (conversion == '[')
                format = set(format, in);
            c = EOF;
            while (i < count && (c = next(from)) != EOF) {
                if (conversion == 's' ? space(c) : !in[c]) {
                    back(from, c);
                    break;
                }
                if (!suppress)
                    at[i] = (char)c;
                i++;
            }
            if (i > 0 && !suppress)
                at[i] = 0;
            found = i > 0 ? 1 : c == EOF ? EOF : 0;
            break;
        }
        default:
            __selvedge_unsupported("a conversion of scanf");
        }
        if (found == EOF)
            return assigned ? assigned : EOF;
        if (found == 0)
            return assigned;
        assigned += !suppress;
    }
    return assigned;
}

static int scan_text(const char *text, const char *format, va_list *arguments)
{
    struct source from = {NULL, text, 0};
    return scan(&from, format, arguments);
}

static int scan_stream(FILE *stream, const char *format, va_list *arguments)
{
    struct source from = {stream, NULL, 0};
    flockfile(stream);
    int assigned = scan(&from, format, arguments);
    funlockfile(stream);
    return assigned;
}

// The names that headers put in place of the plain ones, and those.
#define FAMILY(before)                                                                                                 \
    int before##vsscanf(const char *text, const char *format, va_list arguments)                                       \
    {                                                                                                                  \
        va_list list;                                                                                                  \
        va_copy(list, arguments);                                                                                      \
        int assigned = scan_text(text, format, &list);                                                                 \
        va_end(list);                                                                                                  \
        return assigned;                                                                                               \
    }                                                                                                                  \
    int before##vfscanf(FILE *stream, const char *format, va_list arguments)                                           \
    {                                                                                                                  \
        va_list list;                                                                                                  \
        va_copy(list, arguments);                                                                                      \
        int assigned = scan_stream(stream, format, &list);                                                             \
        va_end(list);                                                                                                  \
        return assigned;                                                                                               \
    }                                                                                                                  \
    int before##vscanf(const char *format, va_list arguments) { return before##vfscanf(stdin, format, arguments); }    \
    int before##sscanf(const char *text, const char *format, ...)                                                      \
    {                                                                                                                  \
        va_list arguments;                                                                                             \
        va_start(arguments, format);                                                                                   \
        int assigned = scan_text(text, format, &arguments);                                                            \
        va_end(arguments);                                                                                             \
        return assigned;                                                                                               \
    }                                                                                                                  \
    int before##fscanf(FILE *stream, const char *format, ...)                                                          \
    {                                                                                                                  \
        va_list arguments;                                                                                             \
        va_start(arguments, format);                                                                                   \
        int assigned = scan_stream(stream, format, &arguments);                                                        \
        va_end(arguments);                                                                                             \
        return assigned;                                                                                               \
    }                                                                                                                  \
    int before##scanf(const char *format, ...)                                                                         \
    {                                                                                                                  \
        va_list arguments;                                                                                             \
        va_start(arguments, format);                                                                                   \
        int assigned = scan_stream(stdin, format, &arguments);                                                         \
        va_end(arguments);                                                                                             \
        return assigned;                                                                                               \
    }

FAMILY()
FAMILY(__isoc99_)
FAMILY(__isoc23_)
