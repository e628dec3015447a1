// Successive over-relaxation on a grid, in red-black order of the rows.
//
// Shape: SOR of the Java Grande Forum and pjbench, in C. The grid is a two-dimensional shared
// array; each thread updates a slice of the rows with stride 2 and reads the neighbouring ones, and
// all meet at a barrier after each half.
//
// Sizes: THREADS (2), ROWS of inner rows for each thread (1), COLUMNS of inner columns (1),
// ITERATIONS (1).
// Verdict: true. ERROR=1: no barrier between the halves (data race). ERROR=2: slices are one row
// too long (data race, or an assertion at the last row).
#include <assert.h>
#include <pthread.h>

#ifndef THREADS
#define THREADS 2
#endif
#ifndef ROWS
#define ROWS 1
#endif
#ifndef COLUMNS
#define COLUMNS 1
#endif
#ifndef ITERATIONS
#define ITERATIONS 1
#endif
#ifndef ERROR
#define ERROR 0
#endif

enum { HEIGHT = THREADS * ROWS + 2, WIDTH = COLUMNS + 2 };

static double grid[HEIGHT][WIDTH], expected[HEIGHT][WIDTH];
static double omega;
static pthread_barrier_t barrier;

static void relax(double rows[HEIGHT][WIDTH], int first, int last, int colour)
{
    for (int i = first + (first + colour) % 2; i < last; i += 2) {
        assert(i > 0 && i < HEIGHT - 1);
        for (int j = 1; j < WIDTH - 1; j++)
            rows[i][j] = omega / 4 * (rows[i - 1][j] + rows[i + 1][j] + rows[i][j - 1] + rows[i][j + 1]) +
                         (1 - omega) * rows[i][j];
    }
}

static void *iterate(void *argument)
{
    int number = (int)(long)argument;
    int first = 1 + number * ROWS, last = first + ROWS + (ERROR == 2);
    for (int i = 0; i < ITERATIONS; i++)
        for (int colour = 0; colour < 2; colour++) {
            relax(grid, first, last, colour);
#if ERROR != 1
            pthread_barrier_wait(&barrier);
#endif
        }
    return 0;
}

int main(void)
{
    pthread_t threads[THREADS];
    omega = 1.25;
    for (int i = 0; i < HEIGHT; i++)
        for (int j = 0; j < WIDTH; j++)
            grid[i][j] = expected[i][j] = i * 3 + j % 2;
    for (int i = 0; i < ITERATIONS; i++) {
        relax(expected, 1, HEIGHT - 1, 0);
        relax(expected, 1, HEIGHT - 1, 1);
    }
    pthread_barrier_init(&barrier, 0, THREADS);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, iterate, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    pthread_barrier_destroy(&barrier);
    for (int i = 0; i < HEIGHT; i++)
        for (int j = 0; j < WIDTH; j++)
            assert(grid[i][j] == expected[i][j]);
    return 0;
}
