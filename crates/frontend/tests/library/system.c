// Compares functions of the model library that are about the system - search trees and tables, locales as objects, terminals,
// interfaces - with the libc of this machine. The library's functions carry the prefix `model_` here (tests/library.rs).

#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <execinfo.h>
#include <limits.h>
#include <locale.h>
#include <malloc.h>
#include <net/if.h>
#include <pthread.h>
#include <sched.h>
#include <search.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <wctype.h>

#define MODEL(result, name, ...) extern result model_##name(__VA_ARGS__)

int system_functions(void);
static int failures;
static char concerned[256];

#define CHECK(condition)                                                  \
    do {                                                                  \
        if (!(condition) && failures++ < 20)                              \
            printf("line %d: %s: %s\n", __LINE__, concerned, #condition); \
    } while (0)

static unsigned seed = 1;
static unsigned any(unsigned below) { return (unsigned)rand_r(&seed) % below; }

MODEL(void *, tsearch, const void *, void **, __compar_fn_t);
MODEL(void *, tfind, const void *, void *const *, __compar_fn_t);
MODEL(void *, tdelete, const void *, void **, __compar_fn_t);
MODEL(void, twalk, const void *, __action_fn_t);
MODEL(void, twalk_r, const void *, void (*)(const void *, VISIT, void *), void *);
MODEL(void, tdestroy, void *, __free_fn_t);

static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static int walked[2][64], count[2], visits[2][4], now;

static void visit(const void *node, VISIT when, int level)
{
    CHECK(level >= 0);
    visits[now][when]++;
    if (when == postorder || when == leaf)
        walked[now][count[now]++] = **(int *const *)node;
}

static void visit_with(const void *node, VISIT when, void *with)
{
    CHECK(with == walked);
    visit(node, when, 0);
}

static void compare_trees(const void *theirs, const void *ours)
{
    for (int with = 0; with < 2; with++) {
        memset(count, 0, sizeof count);
        memset(visits, 0, sizeof visits);
        now = 0;
        with ? twalk_r(theirs, visit_with, walked) : twalk(theirs, visit);
        now = 1;
        with ? model_twalk_r(ours, visit_with, walked) : model_twalk(ours, visit);
        CHECK(count[0] == count[1] && !memcmp(walked[0], walked[1], sizeof(int) * (size_t)count[0]));
        for (int model = 0; model < 2; model++)
            CHECK(visits[model][preorder] == visits[model][postorder] && visits[model][endorder] == visits[model][postorder]);
    }
}

static int released[2];
static void release(void *key)
{
    CHECK(key != 0);
    released[now]++;
}

static void trees(void)
{
    static int keys[30];
    for (int i = 0; i < 30; i++)
        keys[i] = i / 2; // each value twice
    snprintf(concerned, sizeof concerned, "trees");
    for (int round = 0; round < 3000; round++) {
        void *a = 0, *b = 0;
        for (unsigned steps = any(60); steps; steps--) {
            int *key = &keys[any(30)];
            switch (any(4)) {
            case 0: case 1: CHECK(**(int **)tsearch(key, &a, by_value) == **(int **)model_tsearch(key, &b, by_value)); break;
            case 2: {
                void *theirs = tfind(key, &a, by_value), *ours = model_tfind(key, &b, by_value);
                CHECK(!theirs == !ours && (!theirs || *(void **)theirs == *(void **)ours));
                break;
            }
            default: CHECK(!tdelete(key, &a, by_value) == !model_tdelete(key, &b, by_value));
            }
        }
        compare_trees(a, b);
        now = 0, released[0] = released[1] = 0;
        tdestroy(a, release);
        now = 1;
        model_tdestroy(b, release);
        CHECK(released[0] == released[1] && released[0] == count[0]);
    }
}

MODEL(int, hcreate_r, size_t, struct hsearch_data *);
MODEL(int, hsearch_r, ENTRY, ACTION, ENTRY **, struct hsearch_data *);
MODEL(void, hdestroy_r, struct hsearch_data *);
MODEL(int, hcreate, size_t);
MODEL(ENTRY *, hsearch, ENTRY, ACTION);
MODEL(void, hdestroy, void);

static void tables(void)
{
    static char names[40][8];
    for (int i = 0; i < 40; i++)
        snprintf(names[i], sizeof names[i], "k%d", i * i % 97);
    for (int round = 0; round < 3000; round++) {
        struct hsearch_data a = {0}, b = {0};
        size_t room = any(24);
        snprintf(concerned, sizeof concerned, "a table of %zu", room);
        CHECK(hcreate_r(room, &a) == model_hcreate_r(room, &b) && hcreate_r(room, &a) == model_hcreate_r(room, &b));
        for (unsigned steps = any(60); steps; steps--) {
            ENTRY wanted = {names[any(40)], names[any(40)]}, *theirs = 0, *ours = 0;
            ACTION action = any(2) ? ENTER : FIND;
            errno = 0;
            int expected = hsearch_r(wanted, action, &theirs, &a), error = errno;
            errno = 0;
            CHECK(model_hsearch_r(wanted, action, &ours, &b) == expected && errno == error);
            CHECK(!theirs == !ours && (!theirs || (!strcmp(theirs->key, ours->key) && theirs->data == ours->data)));
        }
        hdestroy_r(&a), model_hdestroy_r(&b);
    }
    ENTRY entry = {"key", "data"}, other = {"other", 0};
    CHECK(model_hcreate(5) && model_hsearch(entry, ENTER)->data == entry.data && !model_hsearch(other, FIND) && !model_hcreate(5));
    model_hdestroy();
}

MODEL(locale_t, newlocale, int, const char *, locale_t);
MODEL(locale_t, duplocale, locale_t);
MODEL(locale_t, uselocale, locale_t);
MODEL(void, freelocale, locale_t);
#define OF_BYTE(DO) DO(isalnum) DO(isalpha) DO(isblank) DO(iscntrl) DO(isdigit) DO(isgraph) DO(islower) DO(isprint) DO(ispunct) \
    DO(isspace) DO(isupper) DO(isxdigit) DO(tolower) DO(toupper)
#define OF_WIDE(DO) DO(iswalnum) DO(iswalpha) DO(iswblank) DO(iswcntrl) DO(iswdigit) DO(iswgraph) DO(iswlower) DO(iswprint) DO(iswpunct) \
    DO(iswspace) DO(iswupper) DO(iswxdigit)
#define DECLARE(name) MODEL(int, name##_l, int, locale_t);
#define DECLARE_WIDE(name) MODEL(int, name##_l, wint_t, locale_t);
OF_BYTE(DECLARE)
OF_WIDE(DECLARE_WIDE)
MODEL(wint_t, towlower_l, wint_t, locale_t);
MODEL(wint_t, towupper_l, wint_t, locale_t);
MODEL(int, strcasecmp_l, const char *, const char *, locale_t);
MODEL(int, strcoll_l, const char *, const char *, locale_t);
MODEL(size_t, strftime_l, char *, size_t, const char *, const struct tm *, locale_t);
MODEL(char *, strerror_l, int, locale_t);
MODEL(long, strtol_l, const char *, char **, int, locale_t);
MODEL(double, strtod_l, const char *, char **, locale_t);

static int sign(int x) { return (x > 0) - (x < 0); }

static void locales(void)
{
    locale_t theirs = newlocale(LC_ALL_MASK, "C", 0), ours = model_newlocale(LC_ALL_MASK, "C", 0);
    snprintf(concerned, sizeof concerned, "locales");
    CHECK(theirs && ours && model_duplocale(ours));
    CHECK(!model_newlocale(LC_ALL_MASK, "xx_XX", 0) && errno == ENOENT);
    CHECK(!model_newlocale(1 << 30, "C", 0) && errno == EINVAL);
    CHECK(model_uselocale(0) == LC_GLOBAL_LOCALE && model_uselocale(ours) == LC_GLOBAL_LOCALE && model_uselocale(0) == ours);
    CHECK(model_uselocale(LC_GLOBAL_LOCALE) == ours && model_uselocale(0) == LC_GLOBAL_LOCALE);
    for (int c = -1; c < 256; c++) {
        snprintf(concerned, sizeof concerned, "the character %d in a locale", c);
#define SAME(name) CHECK(!!model_##name##_l(c, ours) == !!(name##_l)(c, theirs));
        OF_BYTE(SAME)
        // What the macros of the header read.
        CHECK(ours->__ctype_b[c] == theirs->__ctype_b[c] && ours->__ctype_toupper[c] == theirs->__ctype_toupper[c]);
        if (c >= 0 && c < 128) {
#define SAME_WIDE(name) CHECK(!model_##name##_l((wint_t)c, ours) == !(name##_l)((wint_t)c, theirs));
            OF_WIDE(SAME_WIDE)
            CHECK(model_towlower_l((wint_t)c, ours) == towlower_l((wint_t)c, theirs));
            CHECK(model_towupper_l((wint_t)c, ours) == towupper_l((wint_t)c, theirs));
        }
    }
    for (int round = 0; round < 10000; round++) {
        char a[8] = "", b[8] = "", x[64], y[64];
        for (unsigned i = any(7); i; i--)
            a[i - 1] = "aAbB1z "[any(7)];
        for (unsigned i = any(7); i; i--)
            b[i - 1] = "aAbB1z "[any(7)];
        snprintf(concerned, sizeof concerned, "%s and %s in a locale", a, b);
        CHECK(sign(model_strcasecmp_l(a, b, ours)) == sign(strcasecmp_l(a, b, theirs)));
        CHECK(sign(model_strcoll_l(a, b, ours)) == sign(strcoll_l(a, b, theirs)));
        CHECK(model_strtol_l(a, 0, 0, ours) == strtol_l(a, 0, 0, theirs) && model_strtod_l(a, 0, ours) == strtod_l(a, 0, theirs));
        time_t when = (time_t)any(1u << 31);
        struct tm date;
        gmtime_r(&when, &date);
        CHECK(model_strftime_l(x, sizeof x, "%c %x %X %A %B", &date, ours) == strftime_l(y, sizeof y, "%c %x %X %A %B", &date, theirs));
        CHECK(!strcmp(x, y));
    }
    for (int error = 0; error < 140; error++)
        CHECK(!strcmp(model_strerror_l(error, ours), strerror_l(error, theirs)));
    freelocale(theirs), model_freelocale(ours);
}

MODEL(int, cfsetospeed, struct termios *, speed_t);
MODEL(int, cfsetispeed, struct termios *, speed_t);
MODEL(speed_t, cfgetospeed, const struct termios *);
MODEL(speed_t, cfgetispeed, const struct termios *);
MODEL(void, cfmakeraw, struct termios *);
MODEL(int, tcgetattr, int, struct termios *);
MODEL(pid_t, tcgetpgrp, int);

static void terminals(void)
{
    static const speed_t speeds[] = {B0, B50, B9600, B38400, B57600, B115200, B4000000, 3, 9600, 1 << 20, CBAUD, CBAUDEX};
    for (int round = 0; round < 10000; round++) {
        struct termios a, b;
        memset(&a, 0, sizeof a);
        for (size_t i = 0; i < sizeof a / 2; i++)
            ((unsigned char *)&a)[i] = (unsigned char)any(256);
        b = a;
        for (int i = 0; i < 4; i++) {
            speed_t speed = speeds[any(12)];
            snprintf(concerned, sizeof concerned, "the speed %#x", speed);
            switch (any(3)) {
            case 0: CHECK(cfsetospeed(&a, speed) == model_cfsetospeed(&b, speed)); break;
            case 1: CHECK(cfsetispeed(&a, speed) == model_cfsetispeed(&b, speed)); break;
            default: cfmakeraw(&a), model_cfmakeraw(&b);
            }
            CHECK(!memcmp(&a, &b, sizeof a));
            CHECK(cfgetospeed(&a) == model_cfgetospeed(&b) && cfgetispeed(&a) == model_cfgetispeed(&b));
        }
    }
    int ends[2];
    struct termios none;
    snprintf(concerned, sizeof concerned, "no terminals");
    if (pipe(ends))
        abort();
    CHECK(model_tcgetattr(ends[0], &none) == -1 && errno == ENOTTY && model_tcgetpgrp(ends[0]) == -1 && errno == ENOTTY);
    close(ends[0]), close(ends[1]);
    CHECK(model_tcgetattr(ends[0], &none) == -1 && errno == EBADF);
}

MODEL(unsigned, if_nametoindex, const char *);
MODEL(char *, if_indextoname, unsigned, char *);
MODEL(struct if_nameindex *, if_nameindex, void);
MODEL(void, if_freenameindex, struct if_nameindex *);
MODEL(int, backtrace, void **, int);
MODEL(char **, backtrace_symbols, void *const *, int);
MODEL(pid_t, waitpid, pid_t, int *, int);
MODEL(int, waitid, idtype_t, id_t, siginfo_t *, int);
MODEL(int, msync, void *, size_t, int);
MODEL(int, getitimer, __itimer_which_t, struct itimerval *);
MODEL(long, pathconf, const char *, int);
MODEL(long, fpathconf, int, int);
MODEL(size_t, confstr, int, char *, size_t);
MODEL(int, mallopt, int, int);
MODEL(int, malloc_trim, size_t);
MODEL(int, clock_getcpuclockid, pid_t, clockid_t *);
MODEL(int, pthread_attr_getaffinity_np, const pthread_attr_t *, size_t, cpu_set_t *);
MODEL(int, pthread_attr_setaffinity_np, pthread_attr_t *, size_t, const cpu_set_t *);

MODEL(int, timer_create, clockid_t, struct sigevent *, timer_t *);
MODEL(int, timer_settime, timer_t, int, const struct itimerspec *, struct itimerspec *);
MODEL(int, timer_gettime, timer_t, struct itimerspec *);
MODEL(int, timer_getoverrun, timer_t);
MODEL(int, timer_delete, timer_t);

static sem_t expired;
static void on_time(union sigval value) { value.sival_ptr == &expired ? sem_post(&expired) : abort(); }

static void timers(void)
{
    snprintf(concerned, sizeof concerned, "timers");
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_value.sival_ptr = &expired, .sigev_notify_function = on_time}, wrong = {.sigev_notify = 77};
    struct itimerspec soon = {.it_value.tv_nsec = 1}, off = {0}, invalid = {.it_value.tv_nsec = 1000000000}, before;
    sem_init(&expired, 0, 0);
    for (int model = 0; model < 2; model++) {
        timer_t timer;
        CHECK((model ? model_timer_create : timer_create)(99, &event, &timer) == -1 && errno == EINVAL);
        CHECK((model ? model_timer_create : timer_create)(CLOCK_REALTIME, &wrong, &timer) == -1 && errno == EINVAL);
        CHECK(!(model ? model_timer_create : timer_create)(CLOCK_MONOTONIC, &event, &timer));
        CHECK((model ? model_timer_settime : timer_settime)(timer, 0, &invalid, 0) == -1 && errno == EINVAL);
        for (int i = 0; i < 3; i++) {
            CHECK(!(model ? model_timer_settime : timer_settime)(timer, 0, &soon, 0));
            while (sem_wait(&expired))
                ;
            CHECK(!(model ? model_timer_settime : timer_settime)(timer, 0, &off, &before) && !before.it_value.tv_sec && !before.it_value.tv_nsec);
            CHECK(!(model ? model_timer_gettime : timer_gettime)(timer, &before) && !before.it_value.tv_nsec);
            CHECK(!(model ? model_timer_getoverrun : timer_getoverrun)(timer));
        }
        CHECK(!(model ? model_timer_delete : timer_delete)(timer));
    }
}

static void rest(void)
{
    snprintf(concerned, sizeof concerned, "interfaces");
    char a[IF_NAMESIZE] = "", *name;
    CHECK(model_if_nametoindex("lo") == 1 && model_if_nametoindex("none") == 0 && errno == ENODEV);
    CHECK((name = model_if_indextoname(1, a)) == a && !strcmp(a, "lo") && !model_if_indextoname(99999, a) && errno == ENXIO);
    struct if_nameindex *all = model_if_nameindex();
    CHECK(all && all[0].if_index == 1 && !strcmp(all[0].if_name, "lo") && !all[1].if_index && !all[1].if_name);
    model_if_freenameindex(all);
    void *frames[4];
    char **texts = model_backtrace_symbols(frames, model_backtrace(frames, 4));
    CHECK(texts);
    free(texts);
    for (int round = 0; round < 3000; round++) {
        static const pid_t processes[] = {-1, 0, 1, 12345678, -12345678, INT_MIN};
        pid_t process = processes[any(6)];
        int options = any(3) ? (int)any(2) * WNOHANG : 1 << any(31), status;
        snprintf(concerned, sizeof concerned, "waitpid(%d, %#x)", process, options);
        errno = 0;
        int expected = waitpid(process, &status, options), error = errno;
        CHECK(model_waitpid(process, &status, options) == expected && errno == error);
        siginfo_t information;
        idtype_t of = (idtype_t)any(5);
        options = (int)any(32);
        snprintf(concerned, sizeof concerned, "waitid(%d, %d, %#x)", of, process, options);
        // What a descriptor of a process stands for, and one's own group, are other matters.
        if (of != P_PIDFD && !(of == P_PGID && process == 0)) {
            expected = waitid(of, (id_t)process, &information, options), error = errno;
            CHECK(model_waitid(of, (id_t)process, &information, options) == expected && errno == error);
        }
        static char page[8192] __attribute__((aligned(4096)));
        int flags = (int)any(16);
        snprintf(concerned, sizeof concerned, "msync %x", flags);
        char *at = page + any(2);
        expected = msync(at, 100, flags), error = errno;
        CHECK(model_msync(at, 100, flags) == expected && (!expected || errno == error));
        struct itimerval x, y;
        int which = (int)any(5) - 1;
        snprintf(concerned, sizeof concerned, "getitimer %d", which);
        expected = getitimer((__itimer_which_t)which, &x), error = errno;
        CHECK(model_getitimer((__itimer_which_t)which, &y) == expected);
        CHECK(expected ? errno == error : !memcmp(&x, &y, sizeof x));
        static const int known[] = {_PC_NAME_MAX, _PC_PATH_MAX, _PC_PIPE_BUF, _PC_MAX_CANON, _PC_MAX_INPUT, _PC_NO_TRUNC, _PC_VDISABLE,
            _PC_CHOWN_RESTRICTED, 99, -1};
        int limit = known[any(10)];
        const char *path = any(4) ? "/tmp" : any(2) ? "/none" : "";
        snprintf(concerned, sizeof concerned, "pathconf of %s, %d", path, limit);
        // Which error comes first is left open.
        expected = (int)pathconf(path, limit), error = errno;
        int found = (int)model_pathconf(path, limit);
        CHECK(*path != '/' || path[1] != 't' ? found == -1 : found == expected && (expected != -1 || errno == error));
        CHECK(model_fpathconf(999, _PC_NAME_MAX) == -1 && errno == EBADF);
        char text[32] = "?", other[32] = "?";
        size_t room = any(20);
        snprintf(concerned, sizeof concerned, "confstr of %zu", room);
        CHECK(confstr(_CS_PATH, text, room) == model_confstr(_CS_PATH, other, room) && !strcmp(text, other));
    }
    clockid_t clock;
    CHECK(model_clock_getcpuclockid(0, &clock) == 0 && clock == CLOCK_PROCESS_CPUTIME_ID && model_clock_getcpuclockid(-1, &clock) == ESRCH);
    pthread_attr_t attributes;
    cpu_set_t x, y;
    pthread_attr_init(&attributes);
    CHECK(pthread_attr_getaffinity_np(&attributes, sizeof x, &x) == model_pthread_attr_getaffinity_np(&attributes, sizeof y, &y) && CPU_EQUAL(&x, &y));
    CHECK(model_pthread_attr_setaffinity_np(&attributes, sizeof x, &x) == 0);
    pthread_attr_destroy(&attributes);
    CHECK(model_malloc_trim(0) == 0 && model_mallopt(M_MXFAST, 64) == mallopt(M_MXFAST, 64));
}

int system_functions(void)
{
    trees();
    tables();
    locales();
    terminals();
    timers();
    rest();
    return failures;
}
