// Functions on numbers that are seldom used: as glibc's, but for the last digits of some.
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdio.h>

static const double numbers[] = {0.0,  -0.0, 1.0,  -1.0,   0.5,      -2.5,   3.75,  4.0,      -7.25, 100.0, 12345.678, -1e-5, 1e-300,
                                 5e-324, 0x1p-1040, 1e300, 1.7e308, -1.7e308, 1e18, INFINITY, -INFINITY, NAN};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

static const char *digits(double x, int digits)
{
    static char room[4][64];
    static int next;
    char *to = room[next++ % 4];
    if (isnan(x))
        return "nan";
    snprintf(to, 64, "%.*g", digits, x);
    return to;
}

static const char *text(double x) { return digits(x, 11); }

#define ONE(function)                                                      \
    do {                                                                   \
        errno = 0;                                                         \
        double result = function(x);                                       \
        printf(" %s(%s)=%s,%d", #function, text(x), text(result), errno);   \
        printf(" %s", digits(function##f((float)x), 5));                    \
    } while (0)

int main(void)
{
    for (int i = 0; i < NUMBERS; i++) {
        double x = numbers[i], whole, sine, cosine;
        ONE(asinh);
        ONE(erf);
        ONE(logb);
        if (x >= 1)
            ONE(acosh);
        if (x > -1 && x < 1 && (x == 0 || fabs(x) > 1e-200))
            ONE(atanh);
        if (fabs(x) < 20 && (x == 0 || fabs(x) > 1e-20))
            ONE(erfc);
        if (x > 0 && x < 20 && x > 1e-20)
            ONE(tgamma);
        if (fabs(x) < 30)
            ONE(exp10);
        printf("\n ilogb %d %d", ilogb(x), ilogbf((float)x));
        double fraction = modf(x, &whole);
        printf(" modf %s %s %d", text(fraction), text(whole), !!signbit(fraction));
        float single, part = modff((float)x, &single);
        printf(" %s %s %d", text(part), text(single), !!signbit(part));
        if (isfinite(x)) {
            sincos(x, &sine, &cosine);
            printf(" sincos %s %s", text(sine), text(cosine));
        }
        printf(" scalbln %s %s\n", text(scalbln(x, 3)), text(scalbln(x, -100000000000)));
        for (int j = 0; j < NUMBERS; j++) {
            double y = numbers[j];
            int quotient = 0, other = 0;
            printf(" next %a %a", isnan(x) || isnan(y) ? 0 : nextafter(x, y), isnan(x) || isnan(y) ? 0 : nextafterf((float)x, (float)y));
            if (y != 0 && !isnan(y) && isfinite(x)) {
                errno = 0;
                printf(" remainder %s,%d", text(remainder(x, y)), errno);
                double rest = remquo(x, y, &quotient);
                printf(" remquo %s %d", text(rest), quotient);
                if (isfinite((float)x) && (float)y != 0)
                    printf(" %s %d", text(remquof((float)x, (float)y, &other)), other);
            }
        }
        printf("\n");
    }
    printf("%d %d\n", !!isnan(nan("")), !!isnan(nanf("")));
    return 0;
}
