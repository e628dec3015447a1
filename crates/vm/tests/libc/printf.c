// Every combination of flags, widths and precisions for each conversion.
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stddef.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <limits.h>

static const char *const flags[] = {"", "-", "+", " ", "#", "0", "-0", "+0", " #", "#0", "+-#"};
static const char *const sizes[] = {"", "1", "9", ".0", ".3", "12.5", "4.8", "."};

static const char *make(char *format, const char *flag, const char *size, const char *conversion)
{
    sprintf(format, "[%%%s%s%s]", flag, size, conversion);
    return format;
}

static void list(const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    vprintf(format, arguments);
    vfprintf(stdout, format, again);
    char text[200];
    va_end(arguments);
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    printf("%d %s", length, text);
    va_end(arguments);
    va_end(again);
}

int main(void)
{
    char format[64];
    static const int ints[] = {0, 1, -1, 42, -12345, INT_MAX, INT_MIN};
    static const char *const of_int[] = {"d", "i", "u", "x", "X", "o", "hhd", "hhu", "hx", "hd"};
    static const long longs[] = {0, 7, -7, LONG_MAX, LONG_MIN, 0x123456789abcdef};
    static const char *const of_long[] = {"ld", "lu", "llx", "zX", "jo", "td"};
    static const double doubles[] = {0.0, -0.0, 1.0, -1.5, 0.1, 2.5, 123456.789, 1e-5, 0.0001, 999999.25, 1e100, DBL_MIN / 3, DBL_MAX};
    static const char *const of_double[] = {"f", "F", "e", "E", "g", "G", "a", "A"};
    static const char *const strings[] = {"", "a", "hello, world"};
    for (unsigned f = 0; f < sizeof flags / sizeof *flags; f++)
        for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            for (unsigned c = 0; c < sizeof of_int / sizeof *of_int; c++) {
                make(format, flags[f], sizes[s], of_int[c]);
                printf("%s:", format);
                for (unsigned i = 0; i < sizeof ints / sizeof *ints; i++)
                    printf(format, ints[i]);
                putchar('\n');
            }
            for (unsigned c = 0; c < sizeof of_long / sizeof *of_long; c++) {
                make(format, flags[f], sizes[s], of_long[c]);
                printf("%s:", format);
                for (unsigned i = 0; i < sizeof longs / sizeof *longs; i++)
                    printf(format, longs[i]);
                putchar('\n');
            }
            for (unsigned c = 0; c < sizeof of_double / sizeof *of_double; c++) {
                make(format, flags[f], sizes[s], of_double[c]);
                printf("%s:", format);
                for (unsigned i = 0; i < sizeof doubles / sizeof *doubles; i++)
                    printf(format, doubles[i]);
                printf(format, (double)INFINITY);
                printf(format, -(double)INFINITY);
                printf(format, (double)NAN);
                putchar('\n');
            }
            make(format, flags[f], sizes[s], "s");
            for (unsigned i = 0; i < sizeof strings / sizeof *strings; i++)
                printf(format, strings[i]);
            putchar('\n');
        }
    printf("%c%c%5c|%-5c|\n", 'a', 0x141, 'b', 'c');
    printf("%*d|%-*d|%*d|%.*f|%.*f|%*.*s|\n", 6, 1, 6, 2, -6, 3, 2, 3.14159, -1, 2.5, 8, 2, "xyz");
    printf("%p %10p %-10p|%p\n", (void *)0, (void *)0, (void *)0, (void *)0x1234);
    printf("%%|%5.1f%%|%s|%.3s|%.6s\n", 12.34, (char *)0, (char *)0, (char *)0);
    printf("%d %s %d %f %d %d %d %d %f %ld\n", 1, "two", 3, 4.0, 5, 6, 7, 8, 9.5, 10L);
    list("%d %s %d %f %d %d %d %d %f %ld %g %g %g %g %g %g %g %g\n", 1, "two", 3, 4.0, 5, 6, 7, 8, 9.5, 10L, 1.5, 2.5, 3.5, 4.5,
         5.5, 6.5, 7.5, 8.5);
    errno = 2;
    printf("%m|%30m|%.4m\n");
    char small[8];
    int needed = snprintf(small, sizeof small, "%s", "more than eight");
    printf("%d %s\n", needed, small);
    needed = snprintf(NULL, 0, "%d", 123456);
    printf("%d\n", needed);
    needed = sprintf(small, "%03d", 7);
    printf("%d %s\n", needed, small);
    printf("%d\n", printf("1234567\n"));
    printf("%d %d\n", puts("puts"), fputs("fputs\n", stdout) >= 0);
    printf("%d %d\n", putchar('x'), putc('\n', stdout));
    printf("%zu\n", fwrite("abcdef", 2, 3, stdout));
    printf("%.0f %.0f %.0f %.0f %.1f %.1f\n", 0.5, 1.5, 2.5, 1e22, 0.25, 0.35);
    printf("%.30f %.17g %.60e\n", 0.1, 0.1, 1e-300);
    printf("%#.3g %#g %g %g %g\n", 1.0, 2.0, 100000.0, 1000000.0, 1e-4);
    printf("%.1a %.2a %.20a %a\n", 1.96875, 1.0 / 3, 1.0 / 3, 5e-324);
    printf("%5%|%b %#b\n", 5u, 5u);
    fflush(stdout);
    fflush(NULL);
    return 0;
}
