// The quick end of the process, and numbers as text of base 64.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

void __selvedge_unsupported(const char *what);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void (*handlers[32])(void);
static int count;

int at_quick_exit(void (*handler)(void))
{
    pthread_mutex_lock(&lock);
    if (count == 32)
        __selvedge_unsupported("more than 32 functions for at_quick_exit");
    handlers[count++] = handler;
    pthread_mutex_unlock(&lock);
    return 0;
}

void quick_exit(int code)
{
    for (;;)
    {
        pthread_mutex_lock(&lock);
        void (*handler)(void) = count ? handlers[--count] : 0;
        pthread_mutex_unlock(&lock);
        if (!handler)
            _Exit(code);
        handler();
    }
}

static const char digits[] = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

long a64l(const char *text)
{
    unsigned value = 0;
    for (int i = 0; i < 6 && text[i]; i++)
    {
        const char *digit = strchr(digits, text[i]);
        if (!digit)
            break;
        value |= (unsigned)(digit - digits) << 6 * i;
    }
    return value;
}

char *l64a(long value)
{
    static char text[7];
    unsigned rest = (unsigned)value;
    int length = 0;
    for (; rest; rest >>= 6)
        text[length++] = digits[rest & 63];
    text[length] = 0;
    return text;
}
