// Structures of every size class go in and out of functions by value.
#include <assert.h>

struct small { char a; short b; };
struct pair { long a, b; };
struct mixed { double a; int b; };
struct big { int values[10]; };

static struct small small(struct small s) { s.b++; return s; }
static struct pair swap(struct pair p) { return (struct pair){p.b, p.a}; }
static struct mixed mixed(struct mixed m) { m.a *= 2; return m; }
static struct big big(struct big b) { b.values[9] = 1; return b; }

int main(void)
{
    struct small s = small((struct small){1, 2});
    struct pair p = swap((struct pair){3, 4});
    struct mixed m = mixed((struct mixed){1.5, 6});
    struct big one = {{0}}, other = big(one), array[2];
    array[1] = other;
    assert(s.a == 1 && s.b == 3 && p.a == 4 && p.b == 3 && m.a == 3 && m.b == 6);
    assert(one.values[9] == 0 && array[1].values[9] == 1);
    return 0;
}
