// Nothing defines `shared_limit`. Its address is one, and what it holds is not zero, but unknown.
// unknown: variable `shared_limit`, which nothing defines
#include <assert.h>
#include <stddef.h>

extern int shared_limit;

int main(void) {
    int *where = &shared_limit;
    assert(where != NULL);
    assert(*where == 0);
    return 0;
}
