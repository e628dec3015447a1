// Sets of signals, as glibc has them: one word of a sigset_t is used.
#include <errno.h>
#include <signal.h>

static int outside(int number)
{
    if (number >= 1 && number <= 64)
        return 0;
    errno = EINVAL;
    return 1;
}

// The C library keeps signals 32 and 33 for itself.
static int not_to_be_set(int number)
{
    if (number == 32 || number == 33)
        number = 0;
    return outside(number);
}

int sigemptyset(sigset_t *set)
{
    set->__val[0] = 0;
    return 0;
}

int sigfillset(sigset_t *set)
{
    set->__val[0] = ~(3ul << 31);
    return 0;
}

int sigaddset(sigset_t *set, int number)
{
    if (not_to_be_set(number))
        return -1;
    set->__val[0] |= 1ul << (number - 1);
    return 0;
}

int sigdelset(sigset_t *set, int number)
{
    if (not_to_be_set(number))
        return -1;
    set->__val[0] &= ~(1ul << (number - 1));
    return 0;
}

int sigismember(const sigset_t *set, int number)
{
    if (outside(number))
        return -1;
    return set->__val[0] >> (number - 1) & 1;
}
