// exit ends the process in the middle of functions whose variables point to blocks, used later or not.
// options: --property memory,leak
#include <stdlib.h>

struct buffer {
    char *bytes;
};

static void give_up(const char *why)
{
    (void)why;
    exit(0);
}

static int work(struct buffer *buffer, char *scratch)
{
    scratch[0] = buffer->bytes[0];
    give_up("no work");
    return scratch[0];
}

int main(void)
{
    struct buffer buffer = {calloc(1, 10)};
    char *unused = malloc(3);
    unused[0] = 1;
    return work(&buffer, malloc(5));
}
