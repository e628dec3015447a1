// A library function that nobody modelled: named, never guessed.
// unknown: gethostid
#define _DEFAULT_SOURCE
#include <unistd.h>

int main(void)
{
    return gethostid() & 0;
}
