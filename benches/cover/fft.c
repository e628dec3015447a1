// A transform of complex numbers, a barrier after each stage. As fft of SPLASH-2 it can transform back and compare, which the
// input asks for: two schedules.
#include "common.h"
#include <string.h>
#ifndef LOG_SIZE
#define LOG_SIZE 10
#endif
#define SIZE (1 << LOG_SIZE)
static double re[2][SIZE], im[2][SIZE], root_re[SIZE], root_im[SIZE];
static pthread_barrier_t all;
static int inverse;

// One direction: each stage reads one copy and writes the other one (Stockham).
static int transform(int me, int from, double sign) {
    for (int half = SIZE / 2, width = 1; half >= 1; half /= 2, width *= 2) {
        double *xr = re[from], *xi = im[from], *yr = re[!from], *yi = im[!from];
        for (int i = me * (SIZE / 2) / THREADS; i < (me + 1) * (SIZE / 2) / THREADS; i++) {
            int q = i % width, p = i / width;
            double wr = root_re[p * width], wi = sign * root_im[p * width];
            double ar = xr[q + width * p], ai = xi[q + width * p];
            double br = xr[q + width * (p + half)], bi = xi[q + width * (p + half)];
            yr[q + width * 2 * p] = ar + br;
            yi[q + width * 2 * p] = ai + bi;
            yr[q + width * (2 * p + 1)] = (ar - br) * wr - (ai - bi) * wi;
            yi[q + width * (2 * p + 1)] = (ar - br) * wi + (ai - bi) * wr;
        }
        from = !from;
        pthread_barrier_wait(&all);
    }
    return from;
}

static void *work(void *arg) {
    int me = *(int *)arg, at = transform(me, 0, 1);
    if (inverse)
        transform(me, at, -1);
    return 0;
}

int main(int argc, char **argv) {
    unsigned seed = 1;
    double sum = 0, step_re = 1, step_im = -3.14159265358979323846 * 2 / SIZE;
    inverse = argc > 1 && argv[1][0] == 't';
    // cos and sin of a small angle by their series; the others are powers of it.
    double angle = step_im, cosine = 1 - angle * angle / 2 + angle * angle * angle * angle / 24;
    double sine = angle - angle * angle * angle / 6;
    step_re = cosine, step_im = sine;
    root_re[0] = 1;
    for (int i = 1; i < SIZE; i++) {
        root_re[i] = root_re[i - 1] * step_re - root_im[i - 1] * step_im;
        root_im[i] = root_re[i - 1] * step_im + root_im[i - 1] * step_re;
    }
    for (int i = 0; i < SIZE; i++)
        re[0][i] = next_random(&seed) % 1000;
    pthread_barrier_init(&all, 0, THREADS);
    in_all_threads(work);
    for (int i = 0; i < SIZE; i++)
        sum += re[0][i] + im[0][i];
    printf("%.3f\n", sum);
    return 0;
}
