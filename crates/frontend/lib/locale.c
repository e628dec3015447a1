// The locale "C", the only one that setlocale knows here: its texts, and characters of several bytes, which have one. As in glibc,
// a byte above 127 is no character of it.
#define _GNU_SOURCE
#include <errno.h>
#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

static char point[] = ".", nothing[] = "";

// One object for all callers. Nobody may change it, and no call does.
static struct lconv conventions = {
    .decimal_point = point,
    .thousands_sep = nothing,
    .grouping = nothing,
    .int_curr_symbol = nothing,
    .currency_symbol = nothing,
    .mon_decimal_point = nothing,
    .mon_thousands_sep = nothing,
    .mon_grouping = nothing,
    .positive_sign = nothing,
    .negative_sign = nothing,
    .int_frac_digits = CHAR_MAX,
    .frac_digits = CHAR_MAX,
    .p_cs_precedes = CHAR_MAX,
    .p_sep_by_space = CHAR_MAX,
    .n_cs_precedes = CHAR_MAX,
    .n_sep_by_space = CHAR_MAX,
    .p_sign_posn = CHAR_MAX,
    .n_sign_posn = CHAR_MAX,
    .int_p_cs_precedes = CHAR_MAX,
    .int_p_sep_by_space = CHAR_MAX,
    .int_n_cs_precedes = CHAR_MAX,
    .int_n_sep_by_space = CHAR_MAX,
    .int_p_sign_posn = CHAR_MAX,
    .int_n_sign_posn = CHAR_MAX,
};

struct lconv *localeconv(void) { return &conventions; }

static char days[7][10] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
static char short_days[7][4] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
static char months[12][10] = {"January", "February", "March",     "April",   "May",      "June",
                              "July",    "August",   "September", "October", "November", "December"};
static char short_months[12][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
static char codeset[] = "ANSI_X3.4-1968", currency[] = "-", yes[] = "^[yY]", no[] = "^[nN]";
static char date_and_time[] = "%a %b %e %H:%M:%S %Y", date[] = "%m/%d/%y", time_of_day[] = "%H:%M:%S";
static char twelve_hours[] = "%I:%M:%S %p", am[] = "AM", pm[] = "PM";

void __selvedge_unsupported(const char *what);

char *nl_langinfo(nl_item item)
{
    if (item >= DAY_1 && item <= DAY_7)
        return days[item - DAY_1];
    if (item >= ABDAY_1 && item <= ABDAY_7)
        return short_days[item - ABDAY_1];
    if (item >= MON_1 && item <= MON_12)
        return months[item - MON_1];
    if (item >= ABMON_1 && item <= ABMON_12)
        return short_months[item - ABMON_1];
    switch (item)
    {
    case CODESET: return codeset;
    case RADIXCHAR: return point;
    case CRNCYSTR: return currency;
    case YESEXPR: return yes;
    case NOEXPR: return no;
    case D_T_FMT: return date_and_time;
    case D_FMT: return date;
    case T_FMT: return time_of_day;
    case T_FMT_AMPM: return twelve_hours;
    case AM_STR: return am;
    case PM_STR: return pm;
    case THOUSEP:
    case ERA:
    case ERA_D_FMT:
    case ERA_D_T_FMT:
    case ERA_T_FMT:
    case ALT_DIGITS: return nothing;
    }
    __selvedge_unsupported("an item of nl_langinfo that POSIX does not have");
    return nothing;
}

size_t __ctype_get_mb_cur_max(void) { return 1; }

size_t mbrtowc(wchar_t *to, const char *from, size_t count, mbstate_t *state)
{
    (void)state; // one byte is one character, so no character is ever begun only
    if (!from)
        return 0;
    if (count == 0)
        return (size_t)-2;
    unsigned char byte = (unsigned char)*from;
    if (byte > 127)
    {
        errno = EILSEQ;
        return (size_t)-1;
    }
    if (to)
        *to = byte;
    return byte != 0;
}

size_t mbrlen(const char *from, size_t count, mbstate_t *state) { return mbrtowc(NULL, from, count, state); }
int mbsinit(const mbstate_t *state)
{
    (void)state;
    return 1;
}

int mbtowc(wchar_t *to, const char *from, size_t count)
{
    if (!from)
        return 0;
    size_t used = mbrtowc(to, from, count, NULL);
    return used > 1 ? -1 : (int)used;
}

int mblen(const char *from, size_t count) { return mbtowc(NULL, from, count); }

size_t wcrtomb(char *to, wchar_t character, mbstate_t *state)
{
    (void)state;
    if (!to)
        return 1;
    if (character < 0 || character > 127)
    {
        errno = EILSEQ;
        return (size_t)-1;
    }
    *to = (char)character;
    return 1;
}

int wctomb(char *to, wchar_t character) { return to ? (int)wcrtomb(to, character, NULL) : 0; }

size_t mbstowcs(wchar_t *to, const char *from, size_t count)
{
    for (size_t i = 0; !to || i < count; i++)
    {
        wchar_t character;
        size_t used = mbrtowc(&character, from + i, 1, NULL);
        if (used == (size_t)-1)
            return used;
        if (to)
            to[i] = character;
        if (used == 0)
            return i;
    }
    return count;
}

size_t wcstombs(char *to, const wchar_t *from, size_t count)
{
    for (size_t i = 0; !to || i < count; i++)
    {
        char byte;
        if (wcrtomb(&byte, from[i], NULL) == (size_t)-1)
            return (size_t)-1;
        if (to)
            to[i] = byte;
        if (byte == 0)
            return i;
    }
    return count;
}

wint_t btowc(int byte) { return byte >= 0 && byte <= 127 ? (wint_t)byte : WEOF; }
int wctob(wint_t character) { return character <= 127 ? (int)character : EOF; }

int iswprint(wint_t c) { return c >= 32 && c < 127; }
int iswcntrl(wint_t c) { return c < 32 || c == 127; }
int iswdigit(wint_t c) { return c >= '0' && c <= '9'; }
int iswlower(wint_t c) { return c >= 'a' && c <= 'z'; }
int iswupper(wint_t c) { return c >= 'A' && c <= 'Z'; }
int iswalpha(wint_t c) { return iswlower(c) || iswupper(c); }
int iswalnum(wint_t c) { return iswalpha(c) || iswdigit(c); }
int iswspace(wint_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
int iswblank(wint_t c) { return c == ' ' || c == '\t'; }
int iswgraph(wint_t c) { return c > 32 && c < 127; }
int iswpunct(wint_t c) { return iswgraph(c) && !iswalnum(c); }
int iswxdigit(wint_t c) { return iswdigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
// The classes by name, from 1 on.
static const struct
{
    const char *name;
    int (*has)(wint_t);
} classes[] = {{"alnum", iswalnum}, {"alpha", iswalpha}, {"blank", iswblank}, {"cntrl", iswcntrl}, {"digit", iswdigit}, {"graph", iswgraph},
    {"lower", iswlower}, {"print", iswprint}, {"punct", iswpunct}, {"space", iswspace}, {"upper", iswupper}, {"xdigit", iswxdigit}};

wctype_t wctype(const char *name)
{
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (!strcmp(classes[i].name, name))
            return i + 1;
    return 0;
}

int iswctype(wint_t c, wctype_t class) { return class && classes[class - 1].has(c); }

wint_t towlower(wint_t c) { return iswupper(c) ? c + 32 : c; }
wint_t towupper(wint_t c) { return iswlower(c) ? c - 32 : c; }
int wcwidth(wchar_t c) { return c == 0 ? 0 : iswprint((wint_t)c) ? 1 : -1; }
