// Messages about errors, in GNU's form. `program_invocation_name` is the machine's.
#define _GNU_SOURCE
#include <errno.h>
#include <error.h>
#include <err.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern unsigned error_message_count;
extern int error_one_per_line;
void (*error_print_progname)(void);

static void begin(void)
{
    fflush(stdout);
    if (error_print_progname)
        error_print_progname();
    else
        fprintf(stderr, "%s:", program_invocation_name);
}

static void end(int status, int number)
{
    __atomic_fetch_add(&error_message_count, 1, __ATOMIC_RELAXED); // the manual has error as safe for threads
    if (number)
        fprintf(stderr, ": %s", strerror(number));
    putc('\n', stderr);
    fflush(stderr);
    if (status)
        exit(status);
}

void error(int status, int number, const char *format, ...)
{
    va_list values;
    begin();
    if (!error_print_progname)
        putc(' ', stderr);
    va_start(values, format);
    vfprintf(stderr, format, values);
    va_end(values);
    end(status, number);
}

void error_at_line(int status, int number, const char *file, unsigned line, const char *format, ...)
{
    static const char *last_file;
    static unsigned last_line;
    va_list values;
    if (error_one_per_line)
    {
        if (last_line == line && (file == last_file || (file && last_file && !strcmp(file, last_file))))
            return;
        last_file = file;
        last_line = line;
    }
    begin();
    if (file)
        fprintf(stderr, "%s:%u: ", file, line);
    else
        putc(' ', stderr);
    va_start(values, format);
    vfprintf(stderr, format, values);
    va_end(values);
    end(status, number);
}

void vwarnx(const char *format, va_list values)
{
    fprintf(stderr, "%s: ", program_invocation_short_name);
    if (format)
        vfprintf(stderr, format, values);
    putc('\n', stderr);
}

void vwarn(const char *format, va_list values)
{
    int number = errno;
    fprintf(stderr, "%s: ", program_invocation_short_name);
    if (format)
    {
        vfprintf(stderr, format, values);
        fputs(": ", stderr);
    }
    fprintf(stderr, "%s\n", strerror(number));
}

void warn(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vwarn(format, values);
    va_end(values);
}

void warnx(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vwarnx(format, values);
    va_end(values);
}

void verr(int status, const char *format, va_list values)
{
    vwarn(format, values);
    exit(status);
}

void verrx(int status, const char *format, va_list values)
{
    vwarnx(format, values);
    exit(status);
}

void err(int status, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    verr(status, format, values);
}

void errx(int status, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    verrx(status, format, values);
}
