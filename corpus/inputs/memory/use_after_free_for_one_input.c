// One of the four states frees the object, and another one uses it; only the order 3, 1 is wrong.
#include <stdlib.h>

unsigned char __VERIFIER_nondet_uchar(void);

int main(void)
{
    int *object = malloc(sizeof *object), freed = 0;
    if (!object)
        return 0;
    *object = 0;
    for (int i = 0; i < 2; i++)
        switch (__VERIFIER_nondet_uchar()) {
        case 1:
            *object += 1; // expect: memory.use-after-free
            break;
        case 3:
            if (!freed)
                free(object);
            freed = 1;
            break;
        }
    if (!freed)
        free(object);
    return 0;
}
