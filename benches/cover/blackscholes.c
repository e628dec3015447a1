// Prices of options, each by a closed formula; threads have a part each and synchronise with nobody. As blackscholes of PARSEC
// does it. The input chooses whether calls or puts are priced.
#include "common.h"
#ifndef OPTIONS
#define OPTIONS 4000
#endif
static double price[OPTIONS], spot[OPTIONS];
static int puts_;

// e^x by halving and a series, so that it is the same everywhere.
static double exponential(double x) {
    double sum = 1, term = 1;
    x /= 64;
    for (int i = 1; i < 10; i++)
        sum += term *= x / i;
    for (int i = 0; i < 6; i++)
        sum *= sum;
    return sum;
}

// The normal distribution, by the usual polynomial.
static double normal(double x) {
    double positive = x < 0 ? -x : x, k = 1 / (1 + 0.2316419 * positive);
    double tail = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
    double value = 1 - 0.3989422804 * exponential(-x * x / 2) * tail;
    return x < 0 ? 1 - value : value;
}

static void *work(void *arg) {
    int me = *(int *)arg;
    for (int i = me * OPTIONS / THREADS; i < (me + 1) * OPTIONS / THREADS; i++) {
        double ratio = spot[i] / 100 - 1, log_ratio = ratio - ratio * ratio / 2 + ratio * ratio * ratio / 3;
        double d1 = (log_ratio + 0.02 + 0.045) / 0.3, d2 = d1 - 0.3, discounted = 100 * exponential(-0.02);
        double call = spot[i] * normal(d1) - discounted * normal(d2);
        price[i] = puts_ ? call - spot[i] + discounted : call;
    }
    return 0;
}

int main(int argc, char **argv) {
    unsigned seed = 1;
    double sum = 0;
    puts_ = argc > 1 && argv[1][0] == 'p';
    for (int i = 0; i < OPTIONS; i++)
        spot[i] = 80 + next_random(&seed) % 4000 / 100.0;
    in_all_threads(work);
    for (int i = 0; i < OPTIONS; i++)
        sum += price[i];
    printf("%.6f\n", sum);
    return 0;
}
