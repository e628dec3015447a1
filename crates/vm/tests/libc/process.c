// rand, mathematics, time as far as it is the same everywhere, environment, errno.
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    for (int i = 0; i < 10; i++)
        printf("%d ", rand());
    for (unsigned seed = 0; seed < 5000000000u && seed < 4000000000u; seed += 499999999u) {
        srand(seed);
        for (int i = 0; i < 100; i++)
            if (i % 9 == 0)
                printf("%d ", rand());
        srandom(seed + 7);
        printf("%ld\n", random());
    }
    static const double xs[] = {0.0, 0.5, -0.5, 1.0, 2.0, -3.7, 100.25, 1e10, 1e-10};
    for (unsigned i = 0; i < sizeof xs / sizeof *xs; i++) {
        double x = xs[i];
        printf("%a %a %a %a %a\n", sin(x), cos(x), tan(x), atan(x), exp(x / 100));
        printf("%a %a %a %a %a %a\n", floor(x), ceil(x), round(x), trunc(x), rint(x), fabs(x));
        printf("%a %a %a %a\n", log(fabs(x) + 1), log2(fabs(x) + 1), log10(fabs(x) + 1), sqrt(fabs(x)));
        printf("%.12g %a %a %a\n", cbrt(x), tanh(x), expm1(x / 7), log1p(fabs(x)));
        printf("%a %a %a\n", (double)sinf((float)x), (double)expf((float)x / 1e10f), (double)sqrtf(fabsf((float)x)));
        for (unsigned j = 0; j < sizeof xs / sizeof *xs; j++) {
            double y = xs[j];
            printf("%a %a %a %a %a", pow(fabs(x), y / 10), atan2(x, y), hypot(x, y), y != 0 ? fmod(x, y) : 0, fdim(x, y));
            printf(" %a %a %a\n", fmin(x, y), fmax(x, y), copysign(x, y));
        }
        int exponent;
        double whole, fraction = frexp(x, &exponent);
        printf("%a %d %a %a", fraction, exponent, ldexp(x, 3), ldexp(x, -1080));
        double (*volatile function)(double, double *) = modf;
        printf(" %a", function(x, &whole));
        printf(" %a %ld %ld\n", whole, lround(x), lrint(x));
    }
    errno = 0;
    printf("%a %d\n", log(0.0), errno);
    errno = 0;
    double root = sqrt(-1.0);
    printf("%d %d\n", root != root, errno);
    errno = EACCES;
    perror("perror");
    printf("%s\n", setlocale(LC_ALL, NULL));
    printf("%d\n", getenv("SELVEDGE_NO_SUCH_VARIABLE") == NULL);
    time_t before = time(NULL), after;
    while (time(&after) <= before)
        ;
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    clock_gettime(CLOCK_MONOTONIC, &b);
    printf("%d %d\n", b.tv_sec > a.tv_sec || (b.tv_sec == a.tv_sec && b.tv_nsec >= a.tv_nsec), difftime(after, before) > 0);
    printf("%d %d %d\n", clock() >= 0, getpid() > 0, sysconf(_SC_PAGESIZE) == 4096);
    exit(3);
}
