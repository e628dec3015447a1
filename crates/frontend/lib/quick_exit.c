// The quick end of the process, and numbers as text of base 64.
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "tables.h"

void __selvedge_unsupported(const char *what);

// What a thread did before it gave a function happens before the function runs. Nothing else is ordered (tables.h).
static _Atomic int lock;
static void (*_Atomic handlers[32])(void);
static _Atomic int count;

int at_quick_exit(void (*handler)(void))
{
    table_lock(&lock);
    int place = TABLE_ADD(count, 1);
    if (place == 32)
        __selvedge_unsupported("more than 32 functions for at_quick_exit");
    atomic_store_explicit(&handlers[place], handler, memory_order_release);
    table_unlock(&lock);
    return 0;
}

void quick_exit(int code)
{
    for (;;)
    {
        void (*handler)(void) = 0;
        table_lock(&lock);
        int left = TABLE_GET(count);
        if (left)
        {
            handler = atomic_load_explicit(&handlers[left - 1], memory_order_acquire);
            TABLE_SET(count, left - 1);
        }
        table_unlock(&lock);
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
