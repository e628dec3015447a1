// An interpreter with labels as values.
#include <assert.h>

static int run(const char *program)
{
    static void *const labels[] = {&&increment, &&twice, &&stop};
    int value = 0;
    goto *labels[*program - '0'];
increment:
    value++;
    goto *labels[*++program - '0'];
twice:
    value *= 2;
    goto *labels[*++program - '0'];
stop:
    return value;
}

int main(void)
{
    assert(run("0010112") == 20);
    return 0;
}
