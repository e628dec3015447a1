// Two blocks point to each other, and nothing to them; what only they point to is lost with them.
// options: --property memory,leak
#include <stdlib.h>

struct node {
    struct node *other;
    char *name;
};

int main(void)
{
    struct node *a = malloc(sizeof *a); // expect: memory.leak
    struct node *b = malloc(sizeof *b); // expect: memory.leak
    a->other = b;
    b->other = a;
    a->name = malloc(10); // expect: memory.leak
    b->name = 0;
    return 0;
}
