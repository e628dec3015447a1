// Messages for the system's log. Nobody reads them, so only what making them reads of memory matters.
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>

void __selvedge_unsupported(const char *what);

void vsyslog(int priority, const char *format, va_list values)
{
    (void)priority;
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

void openlog(const char *name, int options, int facility) { (void)name, (void)options, (void)facility; }
void closelog(void) {}

int setlogmask(int mask)
{
    static int now = 0xff;
    int before = now;
    if (mask && mask != now)
        now = mask;
    return before;
}
