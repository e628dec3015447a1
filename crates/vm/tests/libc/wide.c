// Strings of wide characters, messages in the locale "C", signals as System V has them.
#define _GNU_SOURCE
#include <libintl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static int sign(int value) { return (value > 0) - (value < 0); }

static void show(const wchar_t *string)
{
    for (; string && *string; string++)
        printf(" %d", (int)*string);
    printf(string ? "\n" : " none\n");
}

static void strings(void)
{
    static const wchar_t *const texts[] = {L"", L"a", L"ab", L"abc", L"abcabd", L"b", L"xaab", L"\x7fffffff", L"\x20ac"};
    enum { TEXTS = sizeof texts / sizeof *texts };
    for (int i = 0; i < TEXTS; i++)
        for (int j = 0; j < TEXTS; j++) {
            const wchar_t *a = texts[i], *b = texts[j];
            wchar_t to[32];
            printf("%zu %zu %d %d %d %zu %zu\n", wcslen(a), wcsnlen(a, 2), sign(wcscmp(a, b)), sign(wcsncmp(a, b, 2)),
                   sign(wmemcmp(a, b, 1)), wcsspn(a, b), wcscspn(a, b));
            show(wcscpy(to, a));
            show(wcscat(to, b));
            show(wcsncat(to, b, 2));
            show(wcsncpy(to, b, wcslen(b) + 3));
            show(wcschr(a, b[0]));
            show(wcsrchr(a, b[0]));
            show(wcspbrk(a, b));
            show(wcsstr(a, b));
            show(wmemchr(a, b[0], wcslen(a) + 1));
        }
    wchar_t moved[] = L"0123456789", line[] = L",,a,b;;c", *rest;
    show(wmemmove(moved + 2, moved, 5));
    show(moved);
    show(wmemmove(moved, moved + 3, 4));
    show(wmemset(moved, L'z', 3));
    for (wchar_t *word = wcstok(line, L",;", &rest); word; word = wcstok(NULL, L",;", &rest))
        show(word);
    wchar_t *copy = wcsdup(L"copy");
    show(copy);
    free(copy);
}

static int caught;
static void handler(int number) { caught += number; }

int main(void)
{
    strings();
    printf("%s %s %s\n", gettext("one"), dgettext("domain", "two"), dcgettext("domain", "three", 5));
    for (unsigned long i = 0; i < 3; i++)
        printf("%s %s\n", ngettext("file", "files", i), dngettext("domain", "file", "files", i));
    printf("%s %s\n", textdomain("domain"), bindtextdomain("domain", "/folder"));
    printf("%d\n", sysv_signal(SIGUSR1, handler) == SIG_DFL);
    raise(SIGUSR1);
    printf("%d %d\n", caught, sysv_signal(SIGUSR1, SIG_IGN) == SIG_DFL);
    raise(SIGUSR1);
    printf("%d %d\n", caught, ssignal(SIGUSR1, handler) == SIG_IGN);
    raise(SIGUSR1);
    printf("%d %d\n", caught, sysv_signal(99, handler) == SIG_ERR);
    return 0;
}
