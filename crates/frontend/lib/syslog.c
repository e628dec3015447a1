// Messages for the system's log. Nobody reads them, so only what making them reads of memory matters.
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>

void __selvedge_unsupported(const char *what);

// What openlog was given: each message begins with it. The library orders nothing by it.
static _Atomic(const char *) tag;

void vsyslog(int priority, const char *format, va_list values)
{
    (void)priority;
    const volatile char *name = atomic_load_explicit(&tag, memory_order_relaxed);
    while (name && *name)
        name++;
    // `%m` stands for the error.
    char changed[1024], text[1024];
    size_t used = 0;
    for (const char *at = format; *at && used < sizeof changed - 64; at++)
    {
        if (at[0] == '%' && at[1] == 'm')
        {
            changed[used++] = 'E';
            at++;
            continue;
        }
        changed[used++] = *at;
        if (at[0] == '%' && at[1])
            changed[used++] = *++at;
    }
    if (used >= sizeof changed - 64)
        __selvedge_unsupported("a message of syslog with a long format");
    changed[used] = 0;
    vsnprintf(text, sizeof text, changed, values);
}

void syslog(int priority, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsyslog(priority, format, values);
    va_end(values);
}

void openlog(const char *name, int options, int facility)
{
    (void)options, (void)facility;
    // As in glibc, a null pointer leaves what was given before.
    if (name)
        atomic_store_explicit(&tag, name, memory_order_relaxed);
}

void closelog(void) { atomic_store_explicit(&tag, NULL, memory_order_relaxed); }

int setlogmask(int mask)
{
    static int now = 0xff;
    int before = now;
    if (mask && mask != now)
        now = mask;
    return before;
}
