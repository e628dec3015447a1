// The scanf family and numbers with a fraction.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    int a = -1, b = -1, n = -1;
    unsigned u = 0;
    long l = 0;
    short h = 0;
    signed char hh = 0;
    float f = 0;
    double d = 0;
    char s[20] = "", t[20] = "", c = 0;
    void *p;
#define TRY(...) do { int r = sscanf(__VA_ARGS__); \
    printf("%d: %d %d %d %u %ld %d %d %g %g %s %s %c\n", r, a, b, n, u, l, h, hh, f, d, s, t, c); } while (0)
    TRY("12 34", "%d %d", &a, &b);
    TRY("12,34", "%d,%d", &a, &b);
    TRY("12;34", "%d,%d", &b, &a);
    TRY("", "%d", &a);
    TRY("   ", "%d", &a);
    TRY("x", "%d", &a);
    TRY("-5+6", "%d%d", &a, &b);
    TRY("0x1f 010 9", "%i %i %i", &a, &b, &n);
    TRY("ff FF", "%x %X", &u, &b);
    TRY("777", "%o", &u);
    TRY("12345", "%2d%3d", &a, &b);
    TRY("  word another", "%s %s", s, t);
    TRY("toolongaword", "%5s%3s", s, t);
    TRY("abc", "%c", &c);
    TRY(" abc", " %c", &c);
    TRY("key=value", "%[a-z]=%[^\n]", s, t);
    TRY("]x-", "%[]x-]", s);
    TRY("123abc", "%[0-9]%s", s, t);
    TRY("99999999999 7", "%ld %hd", &l, &h);
    TRY("300 1", "%hhd %d", &hh, &a);
    TRY("1 2 3", "%*d %d %n", &a, &n);
    TRY("1.5 -2e3 .25", "%f %lf %*f", &f, &d);
    TRY("1e", "%lf", &d);
    TRY("3.x", "%lf%c", &d, &c);
    TRY("50%", "%d%%", &a);
    TRY("50", "%d%%%d", &a, &b);
    TRY("7 x 8", "%d y %d", &a, &b);
    TRY("+7", "%u", &u);
    TRY("-", "%d", &a);
    p = NULL;
    sscanf("0x1234", "%p", &p);
    printf("%p\n", p);
    char *end;
    const char *numbers[] = {"1.5", "  -2.25e2xyz", "", "abc", "1e400", "-1e400", "1e-400", "inf", "-Infinity!", "nan", ".5", "5.", ".", "+.e1", "1e+", "0.1", "123456789012345678901234567890"};
    for (int i = 0; i < (int)(sizeof numbers / sizeof *numbers); i++) {
        errno = 0;
        d = strtod(numbers[i], &end);
        printf("%.17g \"%s\" %d\n", d, end, errno);
        errno = 0;
        f = strtof(numbers[i], &end);
        printf("%.9g \"%s\" %d\n", f, end, errno);
    }
    printf("%g\n", atof("2.5e-3 and so on"));
    return 0;
}
