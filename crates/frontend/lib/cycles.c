// The processor's counter of cycles (the instruction rdtsc), as a clock of 1 GHz.
#include <time.h>

unsigned long __selvedge_cycles(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000ul + now.tv_nsec;
}
