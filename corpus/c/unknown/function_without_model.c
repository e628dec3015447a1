// A library function that nobody modelled: named, never guessed.
// unknown: mkfifo
#include <sys/stat.h>

int main(void)
{
    return mkfifo("queue", 0600) & 0;
}
