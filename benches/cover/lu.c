// A matrix in triangular factors, column by column, two barriers a round. As lu of SPLASH-2. The input chooses whether
// the matrix is of the full size.
#include "common.h"
#ifndef SIZE
#define SIZE 24
#endif
static double a[SIZE][SIZE];
static pthread_barrier_t all;
static int size = SIZE;

static void *work(void *arg) {
    int me = *(int *)arg;
    for (int k = 0; k < size; k++) {
        for (int i = k + 1 + me; i < size; i += THREADS)
            a[i][k] /= a[k][k];
        pthread_barrier_wait(&all);
        for (int i = k + 1 + me; i < size; i += THREADS)
            for (int j = k + 1; j < size; j++)
                a[i][j] -= a[i][k] * a[k][j];
        pthread_barrier_wait(&all);
    }
    return 0;
}

int main(int argc, char **argv) {
    unsigned seed = 1;
    double sum = 0;
    if (argc > 1 && argv[1][0] == 'h')
        size = SIZE / 2;
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++)
            a[i][j] = next_random(&seed) % 1000 / 1000.0 + (i == j ? SIZE : 0);
    pthread_barrier_init(&all, 0, THREADS);
    in_all_threads(work);
    for (int i = 0; i < SIZE; i++)
        sum += a[i][i];
    printf("%.9f\n", sum);
    return 0;
}
