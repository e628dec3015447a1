// A structure that ends in an array of unknown length; one past the end may be pointed to.
#include <assert.h>
#include <stdlib.h>

struct message {
    int length;
    char text[];
};

int main(void)
{
    struct message *message = malloc(sizeof *message + 3);
    message->length = 3;
    for (char *at = message->text; at != message->text + 3; at++)
        *at = 'a';
    assert(message->text[2] == 'a');
    free(message);
    return 0;
}
