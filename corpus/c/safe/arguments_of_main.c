// main without arguments of the user: argc is 1, argv ends in NULL.
#include <assert.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    assert(argc == 1 && argv[0] != NULL && argv[1] == NULL);
    return 0;
}
