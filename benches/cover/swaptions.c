// Simulated paths of an interest rate for a few contracts, divided among threads that synchronise with nobody. As swaptions
// of PARSEC does it. The input chooses the number of steps of a path.
#include "common.h"
#ifndef PATHS
#define PATHS 150
#endif
#define CONTRACTS 16
static double value[CONTRACTS];
static int steps = 10;

static void *work(void *arg) {
    int me = *(int *)arg;
    for (int c = me * CONTRACTS / THREADS; c < (me + 1) * CONTRACTS / THREADS; c++) {
        unsigned seed = (unsigned)c + 1;
        double sum = 0;
        for (int path = 0; path < PATHS; path++) {
            double rate = 0.03, discount = 1;
            for (int i = 0; i < steps; i++) {
                rate += 0.1 * (0.04 - rate) + 0.004 * ((int)(next_random(&seed) % 2001) - 1000) / 1000.0;
                discount /= 1 + rate;
            }
            double gain = rate - 0.02 - 0.001 * c;
            sum += gain > 0 ? gain * discount : 0;
        }
        value[c] = sum / PATHS;
    }
    return 0;
}

int main(int argc, char **argv) {
    double sum = 0;
    if (argc > 1 && argv[1][0] == 'l')
        steps = 20;
    in_all_threads(work);
    for (int c = 0; c < CONTRACTS; c++)
        sum += value[c];
    printf("%.9f\n", sum);
    return 0;
}
