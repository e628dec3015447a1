// Stacks of calls as addresses: here they are always unknown, as they may be natively.
#include <execinfo.h>
#include <stdlib.h>

int backtrace(void **to, int room)
{
    (void)to, (void)room;
    return 0;
}

char **backtrace_symbols(void *const *from, int count)
{
    (void)from;
    return count ? NULL : malloc(1);
}

void backtrace_symbols_fd(void *const *from, int count, int fd) { (void)from, (void)count, (void)fd; }

// The end of the stack (`_URC_END_OF_STACK`), where it begins.
int _Unwind_Backtrace(void *visit, void *argument);
int _Unwind_Backtrace(void *visit, void *argument)
{
    (void)visit, (void)argument;
    return 5;
}
