// What glibc says of its allocator beside POSIX: as of the process (resources.c), that nothing is used. Freed memory is not given back.
#include <malloc.h>

int malloc_trim(size_t keep) { return (void)keep, 0; }

int mallopt(int which, int value)
{
    (void)value;
    // Of M_MXFAST large values are refused.
    return which != M_MXFAST || (value >= 0 && value <= 160);
}

struct mallinfo mallinfo(void) { return (struct mallinfo){0}; }
struct mallinfo2 mallinfo2(void) { return (struct mallinfo2){0}; }
