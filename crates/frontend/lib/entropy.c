// Random numbers that need no seed: from the system's, as the machine has them.
#include <stddef.h>
#include <stdint.h>
#include <sys/random.h>
#include <unistd.h>

void arc4random_buf(void *to, size_t size)
{
    for (unsigned char *at = to; size;)
    {
        size_t part = size < 256 ? size : 256;
        (void)!getentropy(at, part);
        at += part;
        size -= part;
    }
}

uint32_t arc4random(void)
{
    uint32_t number;
    arc4random_buf(&number, sizeof number);
    return number;
}

uint32_t arc4random_uniform(uint32_t end)
{
    // What is below the remainder of 2^32 would come too often.
    uint32_t number, few = end ? -end % end : 0;
    do
        number = arc4random();
    while (number < few);
    return end ? number % end : 0;
}
