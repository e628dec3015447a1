// Exit handlers run in reverse order, after main returned.
#include <assert.h>
#include <stdlib.h>

static int steps;

static void last(void)
{
    assert(steps == 2);
}

static void first(void)
{
    assert(++steps == 2);
}

int main(void)
{
    atexit(last);
    atexit(first);
    steps++;
    return 0;
}
