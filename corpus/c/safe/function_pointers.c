// Calls through tables, through a structure, and of a function that is handed in.
#include <assert.h>

static int add(int a, int b) { return a + b; }
static int multiply(int a, int b) { return a * b; }
static int (*const table[])(int, int) = {add, multiply};

struct object {
    int (*method)(struct object *, int);
    int state;
};

static int method(struct object *self, int x) { return self->state += x; }
static int twice(int (*f)(int, int), int x) { return f(f(x, x), x); }

int main(void)
{
    struct object object = {method, 10};
    assert(table[0](3, 4) == 7 && table[1](3, 4) == 12);
    assert(object.method(&object, 5) == 15 && object.state == 15);
    assert(twice(add, 5) == 15 && twice(multiply, 3) == 27 && (add == table[0]));
    return 0;
}
