// The locale "C", wide characters, messages about errors, the machine's processors.
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <error.h>
#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

static void characters(void)
{
    mbstate_t state;
    memset(&state, 0, sizeof state);
    printf("%zu %d\n", MB_CUR_MAX, mbsinit(&state));
    for (int i = 0; i < 256; i++)
    {
        char c = (char)i;
        wchar_t wide = 7;
        errno = 0;
        size_t used = mbrtowc(&wide, &c, 1, &state);
        printf("%d: %zd %d %d %d %d ", i, (ssize_t)used, (int)wide, errno, mblen(&c, 1), mbtowc(NULL, &c, 1));
        printf("%d %d\n", (int)btowc(i), wctob((wint_t)i));
        memset(&state, 0, sizeof state);
    }
    printf("%zd %zd %d\n", (ssize_t)mbrtowc(NULL, "a", 0, &state), (ssize_t)mbrlen("a", 1, &state), mblen(NULL, 0));
    for (int i = -2; i < 300; i++)
    {
        wint_t c = (wint_t)i;
        char byte = 'x';
        errno = 0;
        ssize_t made = (ssize_t)wcrtomb(&byte, (wchar_t)i, &state);
        printf("%d: %zd %d %d ", i, made, byte, errno);
        printf("%d %d%d%d%d%d%d%d%d%d%d%d%d ", wcwidth((wchar_t)i), !!iswprint(c), !!iswcntrl(c), !!iswdigit(c), !!iswlower(c),
               !!iswupper(c), !!iswalpha(c), !!iswalnum(c), !!iswspace(c), !!iswblank(c), !!iswgraph(c), !!iswpunct(c),
               !!iswxdigit(c));
        printf("%d %d\n", (int)towlower(c), (int)towupper(c));
    }
}

static void texts(void)
{
    static const nl_item single[] = {CODESET, RADIXCHAR, THOUSEP,    YESEXPR, NOEXPR,      CRNCYSTR,    D_T_FMT,    D_FMT,
                                     T_FMT,   AM_STR,    T_FMT_AMPM, PM_STR,  ERA,         ERA_D_FMT,   ERA_D_T_FMT, ERA_T_FMT,
                                     ALT_DIGITS};
    for (size_t i = 0; i < sizeof single / sizeof *single; i++)
        printf("'%s'\n", nl_langinfo(single[i]));
    for (int i = 0; i < 7; i++)
        printf("%s %s\n", nl_langinfo(DAY_1 + i), nl_langinfo(ABDAY_1 + i));
    for (int i = 0; i < 12; i++)
        printf("%s %s\n", nl_langinfo(MON_1 + i), nl_langinfo(ABMON_1 + i));
    struct lconv *l = localeconv();
    printf("'%s' '%s' '%s' '%s' '%s' '%s' '%s' '%s' '%s' '%s'\n", l->decimal_point, l->thousands_sep, l->grouping,
           l->int_curr_symbol, l->currency_symbol, l->mon_decimal_point, l->mon_thousands_sep, l->mon_grouping,
           l->positive_sign, l->negative_sign);
    printf("%d %d %d %d %d %d %d %d\n", l->int_frac_digits, l->frac_digits, l->p_cs_precedes, l->p_sep_by_space,
           l->n_cs_precedes, l->n_sep_by_space, l->p_sign_posn, l->n_sign_posn);
    printf("%d %d %d %d %d %d\n", l->int_p_cs_precedes, l->int_p_sep_by_space, l->int_n_cs_precedes,
           l->int_n_sep_by_space, l->int_p_sign_posn, l->int_n_sign_posn);
}

static void progname(void) { fputs("me", stderr); }

static void messages(void)
{
    // argv[0] is not the same everywhere.
    program_invocation_name = "./directory/me";
    program_invocation_short_name = "me";
    error(0, 0, "plain %d", 1);
    error(0, ENOENT, "with a reason %s", "x");
    error_at_line(0, EPERM, "file.c", 12, "at a %s", "line");
    error_at_line(0, 0, NULL, 12, "without a file");
    error_one_per_line = 1;
    error_at_line(0, 0, "file.c", 13, "once");
    error_at_line(0, 0, "file.c", 13, "not twice");
    error_at_line(0, 0, "file.c", 14, "the next line");
    error_print_progname = progname;
    error(0, EINVAL, "own name");
    error_at_line(0, 0, "file.c", 15, "own name");
    errno = EACCES;
    warn("warned %d", 2);
    warnx("warned %d", 3);
    errno = EACCES;
    warn(NULL);
    warnx(NULL);
    printf("%u messages\n", error_message_count);
}

int main(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(3, &set);
    CPU_SET(70, &set);
    printf("%d %d\n", CPU_COUNT(&set), sched_getaffinity(0, sizeof set, &set));
    printf("%d\n", CPU_COUNT(&set) > 0);
    static const int limits[] = {_SC_PAGESIZE, _SC_CLK_TCK, _SC_IOV_MAX, _SC_THREAD_STACK_MIN, _SC_THREAD_THREADS_MAX, _SC_SEM_VALUE_MAX,
                                 _SC_LINE_MAX, _SC_GETPW_R_SIZE_MAX, _SC_THREAD_KEYS_MAX, _SC_LOGIN_NAME_MAX,
                                 _SC_THREAD_DESTRUCTOR_ITERATIONS, _SC_HOST_NAME_MAX, _SC_NGROUPS_MAX};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        printf("limit %d: %ld\n", limits[i], sysconf(limits[i]));
    characters();
    texts();
    fflush(stdout);
    messages();
    fflush(stdout);
    errno = ERANGE;
    err(3, "the end");
}
