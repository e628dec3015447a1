// Dates. The time zone is UTC and the locale is "C", so nothing depends on what lies outside. `tzname` and its kin do not change.
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

void __selvedge_unsupported(const char *what);

static const char days[7][10] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
static const char months[12][10] = {"January", "February", "March",     "April",   "May",      "June",
                                    "July",    "August",   "September", "October", "November", "December"};

static long floor_of(long value, long by) { return value / by - (value % by < 0); }

// The days from 1970-01-01 to a date. Years begin with March here, so that leap days are last (Howard Hinnant, "chrono-Compatible
// Low-Level Date Algorithms").
static long days_to(long year, long month, long day)
{
    year -= month < 2;
    long era = floor_of(year, 400);
    long of_era = year - era * 400;
    long of_year = (153 * ((month + 10) % 12) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static int is_leap(long year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }

static struct tm *broken_down(const time_t *when, struct tm *to, const char *zone)
{
    time_t seconds = *when;
    long day = floor_of(seconds, 86400), rest = seconds % 86400 + (seconds % 86400 < 0 ? 86400 : 0);
    long shifted = day + 719468, era = floor_of(shifted, 146097), of_era = shifted - era * 146097;
    long year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    long of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    long shifted_month = (5 * of_year + 2) / 153, month = (shifted_month + 2) % 12;
    long year = year_of_era + era * 400 + (month < 2);
    if (year - 1900 > INT_MAX || year - 1900 < INT_MIN)
    {
        errno = EOVERFLOW;
        return 0;
    }
    to->tm_sec = (int)(rest % 60);
    to->tm_min = (int)(rest / 60 % 60);
    to->tm_hour = (int)(rest / 3600);
    to->tm_mday = (int)(of_year - (153 * shifted_month + 2) / 5 + 1);
    to->tm_mon = (int)month;
    to->tm_year = (int)(year - 1900);
    to->tm_wday = (int)(day + 4 - 7 * floor_of(day + 4, 7));
    to->tm_yday = (int)(day - days_to(year, 0, 1));
    to->tm_isdst = 0;
    to->tm_gmtoff = 0;
    to->tm_zone = zone;
    return to;
}

struct tm *gmtime_r(const time_t *when, struct tm *to) { return broken_down(when, to, "GMT"); }
struct tm *localtime_r(const time_t *when, struct tm *to) { return broken_down(when, to, "UTC"); }

// One object for all callers, as POSIX allows: two threads that get a date without an order race.
static struct tm shared;

struct tm *gmtime(const time_t *when) { return gmtime_r(when, &shared); }
struct tm *localtime(const time_t *when) { return localtime_r(when, &shared); }

void tzset(void) {}

static time_t seconds_of(struct tm *date, const char *zone)
{
    long month = date->tm_mon, year = 1900L + date->tm_year + floor_of(month, 12);
    month -= 12 * floor_of(month, 12);
    long day = days_to(year, month, 1) + date->tm_mday - 1;
    time_t seconds = day * 86400 + date->tm_hour * 3600L + date->tm_min * 60L + date->tm_sec;
    struct tm normal;
    if (!broken_down(&seconds, &normal, zone))
        return -1;
    *date = normal;
    return seconds;
}

time_t timegm(struct tm *date) { return seconds_of(date, "GMT"); }

time_t mktime(struct tm *date)
{
    if (date->tm_isdst > 0)
        __selvedge_unsupported("mktime of a daylight saving time, which UTC does not have");
    return seconds_of(date, "UTC");
}

time_t timelocal(struct tm *date) { return mktime(date); }

static const char *name_of(const char (*names)[10], int count, int index)
{
    return index >= 0 && index < count ? names[index] : "?";
}

static char *as_text(const struct tm *date, char *to, size_t room)
{
    if (date->tm_year <= INT_MAX - 1900)
    {
        int length = snprintf(to, room, "%.3s %.3s%3d %.2d:%.2d:%.2d %d\n", name_of(days, 7, date->tm_wday),
            name_of(months, 12, date->tm_mon), date->tm_mday, date->tm_hour, date->tm_min, date->tm_sec, 1900 + date->tm_year);
        if (length >= 0 && (size_t)length < room)
            return to;
    }
    errno = EOVERFLOW;
    return 0;
}

char *asctime_r(const struct tm *date, char *to) { return as_text(date, to, 26); }

static char text[114];

char *asctime(const struct tm *date) { return as_text(date, text, sizeof text); }

char *ctime_r(const time_t *when, char *to)
{
    struct tm date;
    return localtime_r(when, &date) ? asctime_r(&date, to) : 0;
}

char *ctime(const time_t *when)
{
    struct tm *date = localtime(when);
    return date ? asctime(date) : 0;
}

// The year of the week with a date, by ISO 8601, and the week's number there.
static long iso_week(const struct tm *date, long *year)
{
    long weekday = (date->tm_wday + 6) % 7; // from Monday
    long week = (date->tm_yday - weekday + 10) / 7;
    *year = 1900L + date->tm_year;
    if (week < 1)
    {
        --*year;
        long before = date->tm_yday + 365 + is_leap(*year);
        return (before - weekday + 10) / 7;
    }
    if (week == 53)
    {
        long length = 365 + is_leap(*year);
        if (date->tm_yday - weekday + 3 >= length) // its Thursday lies in the next year
        {
            ++*year;
            return 1;
        }
    }
    return week;
}

// What is written, as far as there is room.
struct output
{
    char *to;
    size_t room, length;
};

static void put(struct output *out, char byte)
{
    if (out->length < out->room)
        out->to[out->length] = byte;
    out->length++;
}

static void put_text(struct output *out, const char *text, int flag)
{
    for (; *text; text++)
    {
        char byte = *text;
        if (flag == '^' && byte >= 'a' && byte <= 'z')
            byte -= 'a' - 'A';
        put(out, byte);
    }
}

// A number of at least so many digits, filled up with `fill`; a flag says otherwise.
static void put_number(struct output *out, long number, int digits, char fill, int flag)
{
    char reversed[24];
    int count = 0;
    unsigned long value = number < 0 ? -(unsigned long)number : (unsigned long)number;
    if (flag == '_')
        fill = ' ';
    if (flag == '0')
        fill = '0';
    if (flag == '-')
        digits = 0;
    do
        reversed[count++] = (char)('0' + value % 10);
    while (value /= 10);
    if (number < 0)
    {
        put(out, '-');
        digits--;
    }
    for (int i = count; i < digits; i++)
        put(out, fill);
    while (count)
        put(out, reversed[--count]);
}

static void put_date(struct output *out, const char *format, const struct tm *date);

static void convert(struct output *out, char conversion, int flag, const struct tm *date)
{
    long year = 1900L + date->tm_year, week_year, hour = date->tm_hour % 12 ? date->tm_hour % 12 : 12;
    switch (conversion)
    {
    case 'a':
    case 'A':
    case 'b':
    case 'B':
    case 'h':
    {
        int of_days = conversion == 'a' || conversion == 'A';
        const char *name = of_days ? name_of(days, 7, date->tm_wday) : name_of(months, 12, date->tm_mon);
        char cut[4] = {name[0], name[0] ? name[1] : 0, name[0] && name[1] ? name[2] : 0, 0};
        put_text(out, conversion == 'A' || conversion == 'B' ? name : cut, flag == '#' ? '^' : flag);
        return;
    }
    case 'c': put_date(out, "%a %b %e %H:%M:%S %Y", date); return;
    case 'C': put_number(out, floor_of(year, 100), 1, '0', flag); return;
    case 'd': put_number(out, date->tm_mday, 2, '0', flag); return;
    case 'D':
    case 'x': put_date(out, "%m/%d/%y", date); return;
    case 'e': put_number(out, date->tm_mday, 2, ' ', flag); return;
    case 'F': put_date(out, "%Y-%m-%d", date); return;
    case 'g':
        iso_week(date, &week_year);
        put_number(out, week_year - 100 * floor_of(week_year, 100), 2, '0', flag);
        return;
    case 'G':
        iso_week(date, &week_year);
        put_number(out, week_year, 1, '0', flag);
        return;
    case 'H': put_number(out, date->tm_hour, 2, '0', flag); return;
    case 'I': put_number(out, hour, 2, '0', flag); return;
    case 'j': put_number(out, date->tm_yday + 1, 3, '0', flag); return;
    case 'k': put_number(out, date->tm_hour, 2, ' ', flag); return;
    case 'l': put_number(out, hour, 2, ' ', flag); return;
    case 'm': put_number(out, date->tm_mon + 1, 2, '0', flag); return;
    case 'M': put_number(out, date->tm_min, 2, '0', flag); return;
    case 'n': put(out, '\n'); return;
    case 'p': put_text(out, flag == '#' ? (date->tm_hour > 11 ? "pm" : "am") : date->tm_hour > 11 ? "PM" : "AM", flag); return;
    case 'P': put_text(out, date->tm_hour > 11 ? "pm" : "am", flag); return;
    case 'r': put_date(out, "%I:%M:%S %p", date); return;
    case 'R': put_date(out, "%H:%M", date); return;
    case 's':
    {
        struct tm same = *date;
        put_number(out, mktime(&same), 1, '0', flag);
        return;
    }
    case 'S': put_number(out, date->tm_sec, 2, '0', flag); return;
    case 't': put(out, '\t'); return;
    case 'T':
    case 'X': put_date(out, "%H:%M:%S", date); return;
    case 'u': put_number(out, date->tm_wday ? date->tm_wday : 7, 1, '0', flag); return;
    case 'U': put_number(out, (date->tm_yday - date->tm_wday + 7) / 7, 2, '0', flag); return;
    case 'V': put_number(out, iso_week(date, &week_year), 2, '0', flag); return;
    case 'w': put_number(out, date->tm_wday, 1, '0', flag); return;
    case 'W': put_number(out, (date->tm_yday - (date->tm_wday + 6) % 7 + 7) / 7, 2, '0', flag); return;
    case 'y': put_number(out, year - 100 * floor_of(year, 100), 2, '0', flag); return;
    case 'Y': put_number(out, year, 1, '0', flag); return;
    case 'z':
        put_text(out, date->tm_gmtoff < 0 ? "-" : "+", 0);
        long minutes = (date->tm_gmtoff < 0 ? -date->tm_gmtoff : date->tm_gmtoff) / 60;
        put_number(out, minutes / 60 * 100 + minutes % 60, 4, '0', flag);
        return;
    case 'Z': put_text(out, date->tm_zone ? date->tm_zone : "", flag); return;
    case '%': put(out, '%'); return;
    }
    __selvedge_unsupported("a conversion of strftime that POSIX does not have");
}

static void put_date(struct output *out, const char *format, const struct tm *date)
{
    for (; *format; format++)
    {
        if (*format != '%')
        {
            put(out, *format);
            continue;
        }
        int flag = 0;
        format++;
        if (*format == '_' || *format == '-' || *format == '0' || *format == '^' || *format == '#')
            flag = *format++;
        if (*format >= '0' && *format <= '9')
            __selvedge_unsupported("a width of strftime");
        if (*format == 'E' || *format == 'O')
            format++; // the locale "C" has no other forms
        convert(out, *format, flag, date);
        if (!*format)
            return;
    }
}

size_t strftime(char *restrict to, size_t room, const char *restrict format, const struct tm *restrict date)
{
    struct output out = {to, room, 0};
    put_date(&out, format, date);
    put(&out, 0);
    return out.length <= room ? out.length - 1 : 0;
}
