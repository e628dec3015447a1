// A library function that nobody modelled: named, never guessed.
// unknown: getpriority
#include <sys/resource.h>

int main(void)
{
    return getpriority(PRIO_PROCESS, 0) & 0;
}
