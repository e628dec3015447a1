// va_list: integers, doubles, structures, more of them than there are registers, and a copy.
#include <assert.h>
#include <stdarg.h>

struct pair {
    int a, b;
};

static double sum(int count, ...)
{
    double total = 0;
    va_list list, again;
    va_start(list, count);
    va_copy(again, list);
    for (int i = 0; i < count; i++)
        total += va_arg(list, int) + va_arg(list, double);
    struct pair pair = va_arg(list, struct pair);
    total += pair.a * pair.b;
    assert(va_arg(again, int) == 1);
    va_end(again);
    va_end(list);
    return total;
}

int main(void)
{
    struct pair pair = {6, 7};
    assert(sum(2, 1, 0.5, 2, 0.25, pair) == 45.75);
    assert(sum(9, 1, 1., 1, 1., 1, 1., 1, 1., 1, 1., 1, 1., 1, 1., 1, 1., 1, 1., pair) == 60);
    return 0;
}
