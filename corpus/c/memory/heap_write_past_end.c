// One element too far, in a loop with <=.
#include <stdlib.h>

int main(void)
{
    int *numbers = malloc(4 * sizeof *numbers);
    for (int i = 0; i <= 4; i++)
        numbers[i] = i; // expect: memory.out-of-bounds
    free(numbers);
    return 0;
}
