// Arrays whose length is known at run time only, also inside a loop, and alloca.
#include <alloca.h>
#include <assert.h>

static int triangle(int n)
{
    int total = 0;
    for (int i = 1; i <= n; i++) {
        int row[i];
        for (int j = 0; j < i; j++)
            row[j] = 1;
        for (int j = 0; j < i; j++)
            total += row[j];
    }
    return total;
}

int main(void)
{
    int n = 3, *block = alloca(n * sizeof *block);
    char matrix[n][n + 1];
    block[n - 1] = 4;
    matrix[2][3] = 'x';
    assert(triangle(4) == 10 && block[2] == 4 && sizeof matrix == 12 && matrix[2][3] == 'x');
    return 0;
}
