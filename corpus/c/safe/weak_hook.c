// Hooks that nobody defines are null, and are not called. What the C library has is there.
#include <assert.h>
#include <pthread.h>

__attribute__((weak)) void trace_begin(int what);
__attribute__((weak)) extern int trace_level;
extern __typeof__(pthread_self) pthread_self __attribute__((weak));

static void (*const hooks[])(int) = {trace_begin};

int main(void)
{
    if (trace_begin)
        trace_begin(1);
    if (&trace_level)
        assert(trace_level > 0);
    assert(!hooks[0]);
    assert(pthread_self);
    return 0;
}
