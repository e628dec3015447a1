// Dates from text, in the locale "C", as glibc reads them. What follows from year, month and day is computed as glibc does it.
#define _GNU_SOURCE
#include <string.h>
#include <strings.h>
#include <time.h>

void __selvedge_unsupported(const char *what);

static const char days[7][10] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
static const char months[12][10] = {"January", "February", "March",     "April",   "May",      "June",
                                    "July",    "August",   "September", "October", "November", "December"};

struct state
{
    struct tm *to;
    int has_month_day, has_month, has_year_day, has_week_day, wants_days, is_12, is_pm, has_pm, century, want_century;
};

static const char *spaces(const char *at)
{
    while (*at == ' ' || (*at >= '\t' && *at <= '\r'))
        at++;
    return at;
}

// A number of at most so many digits, with blanks before it; null if there is none or it is out of range.
static const char *number(const char *at, int least, int most, int digits, int *out)
{
    int value = 0;
    at = spaces(at);
    if (*at < '0' || *at > '9')
        return NULL;
    do
        value = value * 10 + *at++ - '0';
    while (--digits > 0 && value * 10 <= most && *at >= '0' && *at <= '9');
    *out = value;
    return value < least || value > most ? NULL : at;
}

// A name, in full or its first three letters; its place in the list.
static const char *name(const char *at, const char (*list)[10], int count, int *out)
{
    for (int i = 0; i < count; i++)
    {
        size_t full = strlen(list[i]);
        if (!strncasecmp(at, list[i], full) || !strncasecmp(at, list[i], full = 3))
        {
            *out = i;
            return at + full;
        }
    }
    return NULL;
}

static const char *zone(const char *at, struct tm *to)
{
    at = spaces(at);
    if (*at == 'Z')
    {
        to->tm_gmtoff = 0;
        return at + 1;
    }
    if (*at != '+' && *at != '-')
        return NULL;
    int minus = *at++ == '-', digits = 0, value = 0;
    while (digits < 4 && *at >= '0' && *at <= '9')
    {
        value = value * 10 + *at++ - '0';
        if (++digits == 2 && *at == ':')
            at++;
    }
    if (digits == 2)
        value *= 100;
    else if (digits != 4 || value % 100 >= 60)
        return NULL;
    to->tm_gmtoff = (value / 100) * 3600 + (value % 100) * 60;
    if (minus)
        to->tm_gmtoff = -to->tm_gmtoff;
    return at;
}

static const char *parse(const char *at, const char *format, struct state *state)
{
    struct tm *to = state->to;
    for (; *format && at; format++)
    {
        int value = 0;
        if (spaces(format) != format)
        {
            at = spaces(at);
            continue;
        }
        if (*format != '%')
        {
            if (*format != *at++)
                return NULL;
            continue;
        }
        format++;
        switch (*format)
        {
        case '%':
            if (*at++ != '%')
                return NULL;
            break;
        case 'a': case 'A':
            at = name(at, days, 7, &to->tm_wday);
            state->has_week_day = 1;
            break;
        case 'b': case 'B': case 'h':
            at = name(at, months, 12, &to->tm_mon);
            state->has_month = state->wants_days = 1;
            break;
        case 'C':
            at = number(at, 0, 99, 2, &state->century);
            state->wants_days = 1;
            state->want_century |= 2;
            break;
        case 'd': case 'e':
            at = number(at, 1, 31, 2, &to->tm_mday);
            state->has_month_day = state->wants_days = 1;
            break;
        case 'D': case 'x':
            at = parse(at, "%m/%d/%y", state);
            break;
        case 'F':
            at = parse(at, "%Y-%m-%d", state);
            break;
        case 'c':
            at = parse(at, "%a %b %e %H:%M:%S %Y", state);
            break;
        case 'k': case 'H':
            at = number(at, 0, 23, 2, &to->tm_hour);
            state->is_12 = 0;
            break;
        case 'l': case 'I':
            at = number(at, 1, 12, 2, &value);
            to->tm_hour = value % 12;
            state->is_12 = 1;
            break;
        case 'j':
            at = number(at, 1, 366, 3, &value);
            to->tm_yday = value - 1;
            state->has_year_day = 1;
            break;
        case 'm':
            at = number(at, 1, 12, 2, &value);
            to->tm_mon = value - 1;
            state->has_month = state->wants_days = 1;
            break;
        case 'M':
            at = number(at, 0, 59, 2, &to->tm_min);
            break;
        case 'n': case 't':
            at = spaces(at);
            break;
        case 'P': // as any character that is no conversion
            return NULL;
        case 'p':
            if (strncasecmp(at, "AM", 2) && strncasecmp(at, "PM", 2))
                return NULL;
            state->is_pm = (*at | 32) == 'p';
            state->has_pm = 1;
            at += 2;
            break;
        case 'r':
            at = parse(at, "%I:%M:%S %p", state);
            break;
        case 'R':
            at = parse(at, "%H:%M", state);
            break;
        case 'S':
            at = number(at, 0, 61, 2, &to->tm_sec);
            break;
        case 'T': case 'X':
            at = parse(at, "%H:%M:%S", state);
            break;
        case 'u':
            at = number(at, 1, 7, 1, &value);
            to->tm_wday = value % 7;
            state->has_week_day = 1;
            break;
        case 'w':
            at = number(at, 0, 6, 1, &to->tm_wday);
            state->has_week_day = 1;
            break;
        case 'y':
            at = number(at, 0, 99, 2, &value);
            to->tm_year = value >= 69 ? value : value + 100;
            state->want_century = (state->want_century & 2) | 1;
            state->wants_days = 1;
            break;
        case 'Y':
            at = number(at, 0, 9999, 4, &value);
            to->tm_year = value - 1900;
            state->want_century = 0;
            state->wants_days = 1;
            break;
        case 'z':
            at = zone(at, to);
            break;
        default:
            __selvedge_unsupported("strptime with a conversion that is neither of a, b, c, d, e, h, j, k, l, m, n, p, r, t, u, w, x, y, z, A, B, C, D, F, H, I, M, R, S, T, X, Y nor %");
        }
    }
    return at;
}

static int is_leap(int year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }

static const short before[13] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};
static int days_before(int year, int month) { return before[month] + (month > 1 && is_leap(year)); }

char *strptime(const char *restrict text, const char *restrict format, struct tm *restrict to)
{
    struct state state = {.to = to, .want_century = 0};
    const char *end = parse(text, format, &state);
    if (!end)
        return NULL;
    if (state.is_12 && state.has_pm && state.is_pm)
        to->tm_hour += 12;
    if (state.want_century & 2)
        to->tm_year = (state.want_century & 1 ? to->tm_year % 100 : 0) + (state.century - 19) * 100;
    int year = 1900 + to->tm_year;
    if (state.wants_days && !state.has_week_day)
    {
        if (!(state.has_month && state.has_month_day) && state.has_year_day)
        {
            int month = 0;
            while (days_before(year, month + 1) <= to->tm_yday)
                month++;
            if (!state.has_month)
                to->tm_mon = month;
            if (!state.has_month_day)
                to->tm_mday = to->tm_yday - days_before(year, month) + 1;
            state.has_month = state.has_month_day = 1;
        }
        if (to->tm_mon >= 0 && to->tm_mon < 12)
        {
            struct tm same = {.tm_year = to->tm_year, .tm_mon = to->tm_mon, .tm_mday = to->tm_mday};
            timegm(&same);
            to->tm_wday = same.tm_wday;
        }
    }
    if (state.wants_days && !state.has_year_day && to->tm_mon >= 0 && to->tm_mon < 12)
        to->tm_yday = days_before(year, to->tm_mon) + to->tm_mday - 1;
    return (char *)end;
}
