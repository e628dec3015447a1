// Dates from text: random texts and formats.
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <time.h>

static unsigned seed = 3;
static unsigned next(unsigned n)
{
    seed = seed * 1103515245u + 12345u;
    return (seed >> 16) % n;
}

static const char *const formats[] = {"%Y-%m-%d", "%F %T", "%d %b %Y", "%A, %d %B %Y", "%H:%M:%S", "%I:%M %p", "%D", "%c", "%j %Y", "%y%m%d",
    "%e/%m/%y", "%a %b %e", "%R", "%r", "%C%y", "%Y %j", "%u", "%w", "%H%M", "%k:%M", "%l %P", "%n%Y%t%m", "%%%d", "x%dy", "%Y-%m-%dT%H:%M:%S%z",
    "%m/%Y", "%h %d", "%X %x", "%S"};

int main(void)
{
    for (int i = 0; i < 1500; i++)
    {
        time_t when = (time_t)next(32768) * next(65536) + next(1000);
        struct tm from, to;
        char text[100];
        const char *format = formats[next(sizeof formats / sizeof *formats)];
        gmtime_r(&when, &from);
        strftime(text, sizeof text, next(8) ? format : formats[next(sizeof formats / sizeof *formats)], &from);
        if (next(4) == 0 && *text)
            text[next((unsigned)strlen(text))] = (char)('0' + next(80));
        if (next(10) == 0)
            strcat(text, " rest");
        memset(&to, 0, sizeof to);
        char *end = strptime(text, format, &to);
        printf("%s|%s: %d", format, text, end ? (int)(end - text) : -1);
        if (end)
            printf(" %d-%d-%d %d:%d:%d %d %d %ld", to.tm_year, to.tm_mon, to.tm_mday, to.tm_hour, to.tm_min, to.tm_sec, to.tm_wday, to.tm_yday,
                to.tm_gmtoff);
        puts("");
    }
}
