// Compares regular expressions and glob of the model library with the libc of this machine. The library's functions carry the prefix
// `model_` here (tests/library.rs).

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MODEL(result, name, ...) extern result model_##name(__VA_ARGS__)

int expressions(void);
static int failures;
static char concerned[512];

#define CHECK(condition)                                                  \
    do {                                                                  \
        if (!(condition) && failures++ < 20)                              \
            printf("line %d: %s: %s\n", __LINE__, concerned, #condition); \
    } while (0)

static unsigned seed = 1;
static unsigned any(unsigned below) { return (unsigned)rand_r(&seed) % below; }
#define ANY_OF(list) (list)[any(sizeof(list) / sizeof *(list))]

MODEL(int, regcomp, regex_t *, const char *, int);
MODEL(int, regexec, const regex_t *, const char *, size_t, regmatch_t *, int);
MODEL(void, regfree, regex_t *);
MODEL(size_t, regerror, int, const regex_t *, char *, size_t);

enum { PARTS = 5 };

static void matches(const regex_t *theirs, const regex_t *ours, const char *pattern, int flags, int is_ambiguous)
{
    char text[12];
    unsigned length = any(8);
    for (unsigned i = 0; i < length; i++)
        text[i] = "aabbcA\nx_ ."[any(11)];
    text[length] = 0;
    // glibc finds the end of a line also without REG_NEWLINE, if a newline follows.
    if (!(flags & REG_NEWLINE) && strchr(text, '\n') && strpbrk(pattern, "$^"))
        return;
    int how = (any(5) ? 0 : REG_NOTBOL) | (any(5) ? 0 : REG_NOTEOL) | (any(5) ? 0 : REG_STARTEND);
    regmatch_t a[PARTS], b[PARTS];
    if (how & REG_STARTEND) {
        a[0].rm_so = (regoff_t)any(length + 1);
        a[0].rm_eo = a[0].rm_so + (regoff_t)any(length + 1 - (unsigned)a[0].rm_so);
        // What is before the beginning counts for glibc.
        if (a[0].rm_so > 0 && strpbrk(pattern, "$^<>bB`'"))
            how = 0;
        b[0] = a[0];
    }
    size_t room = any(4) ? PARTS : any(PARTS);
    int expected = regexec(theirs, text, room, a, how);
    char named[256];
    strcpy(named, concerned);
    snprintf(concerned, sizeof concerned, "%s of \"%s\", %d", named, text, how);
    CHECK(model_regexec(ours, text, room, b, how) == expected);
    if (!expected && room && !(flags & REG_NOSUB)) {
        CHECK(a[0].rm_so == b[0].rm_so && a[0].rm_eo == b[0].rm_eo);
        // Which one of two alternatives that end at the same place is taken, and how often an empty part is repeated, is another matter.
        if (!is_ambiguous)
            CHECK(!memcmp(a, b, room * sizeof *a));
    }
    strcpy(concerned, named);
}

static void regular(void)
{
    static const char *const parts[] = {"a", "b", "c", "ab", ".", "*", "+", "?", "(", ")", "\\(", "\\)", "|", "\\|", "{2}", "{1,2}", "{,2}", "{0}", "{",
        "}", "\\{1,2\\}", "\\{2\\}", "\\{1", "{1,", "[ab]", "[^a]", "[a-c]", "[[:alpha:]]", "[]a]", "[a", "[", "-", "]", "^", "$", "\\", "\\.", "\\w", "\\W",
        "\\<", "\\>", "\\b", "\\B", "\\`", "\\'", "\\s", "\\S", "\\n", "\n", "A", "[B-C]", "[^-a]", "[[.a.]-c]", "[[=b=]]", "[[:upper:]]", "[[:no:]]", "[c-a]",
        "[[.no.]]", "(a|b)", "(a*)", "(ab|a)", "\\(a*\\)", "x"};
    for (int round = 0; round < 200000; round++) {
        char pattern[128] = "";
        int is_ambiguous = 0;
        for (unsigned i = any(7); i; i--) {
            const char *part = ANY_OF(parts);
            is_ambiguous |= !strcmp(part, "|") || !strcmp(part, "\\|") || (*part != '[' && strchr(part, ',')) || (strchr("*+?{", *part) && strpbrk(pattern, "*+?{"));
            strcat(pattern, part);
        }
        int flags = (any(2) ? REG_EXTENDED : 0) | (any(4) ? 0 : REG_ICASE) | (any(4) ? 0 : REG_NEWLINE) | (any(8) ? 0 : REG_NOSUB);
        // glibc does not find escaped letters without their case.
        if (flags & REG_ICASE && (strstr(pattern, "\\a") || strstr(pattern, "\\c") || strstr(pattern, "\\x") || strstr(pattern, "\\n")))
            continue;
        snprintf(concerned, sizeof concerned, "/%s/ %d", pattern, flags);
        regex_t theirs, ours;
        int error = regcomp(&theirs, pattern, flags);
        int our_error = model_regcomp(&ours, pattern, flags);
        CHECK(our_error == error);
        if (!error && !our_error) {
            CHECK(ours.re_nsub == theirs.re_nsub);
            for (int i = 0; i < 6; i++)
                matches(&theirs, &ours, pattern, flags, is_ambiguous);
        }
        if (!error)
            regfree(&theirs);
        if (!our_error)
            model_regfree(&ours);
    }
    // The longest match, and which part belongs to which subexpression.
    static const struct {
        const char *pattern, *text;
    } fixed[] = {{"(a|ab)(c|bcd)(d*)", "abcd"}, {"^([a-z]+)://([^/:]+)(:([0-9]+))?(/.*)?$", "http://host:80/a/b"}, {"(a|b)*c|(a|ab)*c", "abc"},
        {"(.*)c(.*)", "abcde"}, {"a?(ab|ba)*", "ababababa"}, {"(a|ab)(bc)?", "abc"}, {"((a)|(b))*", "ab"}, {"(aa|aaa)*(a)?", "aaaa"}, {"(a?)(ab)?", "ab"}, {"(foo|foobar)(bar)?", "foobar"}, {"x(y|yz)(z)?", "xyz"}};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        snprintf(concerned, sizeof concerned, "/%s/ of %s", fixed[i].pattern, fixed[i].text);
        regex_t theirs, ours;
        regmatch_t a[PARTS], b[PARTS];
        CHECK(!regcomp(&theirs, fixed[i].pattern, REG_EXTENDED) && !model_regcomp(&ours, fixed[i].pattern, REG_EXTENDED));
        CHECK(!regexec(&theirs, fixed[i].text, PARTS, a, 0) && !model_regexec(&ours, fixed[i].text, PARTS, b, 0));
        CHECK(!memcmp(a, b, sizeof a));
        regfree(&theirs), model_regfree(&ours);
    }
    for (int error = 0; error <= 16; error++)
        for (size_t room = 0; room < 50; room += 7) {
            char a[64] = "?", b[64] = "?";
            snprintf(concerned, sizeof concerned, "the error %d", error);
            CHECK(regerror(error, 0, a, room) == model_regerror(error, 0, b, room) && !strcmp(a, b));
        }
}

MODEL(int, glob, const char *, int, int (*)(const char *, int), glob_t *);
MODEL(void, globfree, glob_t *);

static void files(void)
{
    char top[] = "/tmp/selvedge-glob-XXXXXX", place[64], before[4096];
    // Deep enough that no pattern leads out of it, to what others change.
    if (!mkdtemp(top) || !getcwd(before, sizeof before) || chdir(top) || mkdir("x", 0700) || mkdir("x/y", 0700) || chdir("x/y"))
        abort();
    snprintf(place, sizeof place, "%s/x/y", top);
    static const char *const directories[] = {"a", "ab", "a/c", ".d", "a/.e"};
    static const char *const names[] = {"b", "a/b", "a/bb", "ab/b", "a/c/a", ".b", "a*b", "a/[", "a/.e/a"};
    for (size_t i = 0; i < sizeof directories / sizeof *directories; i++)
        mkdir(directories[i], 0700);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        close(open(names[i], O_CREAT | O_WRONLY, 0600));
    if (symlink("a", "link") || symlink("none", "dangling"))
        abort();
    static const char *const parts[] = {"a", "b", "*", "?", "/", "/", "[ab]", "[!a]", ".", "..", "c", "\\*", "\\[", "link", "dangling", ".*", "a*"};
    static const int flags[] = {0, GLOB_MARK, GLOB_NOCHECK, GLOB_NOESCAPE, GLOB_PERIOD, GLOB_DOOFFS, GLOB_NOMAGIC, GLOB_NOCHECK | GLOB_MARK};
    for (int round = 0; round < 20000; round++) {
        glob_t a = {0}, b = {0};
        a.gl_offs = b.gl_offs = any(3);
        int with = ANY_OF(flags);
        for (int again = 0; again < (any(4) ? 1 : 2); again++) {
            char pattern[64] = "";
            if (any(8) == 0)
                snprintf(pattern, sizeof pattern, "%s/", place);
            for (unsigned i = any(6); i; i--)
                strcat(pattern, ANY_OF(parts));
            if (*pattern == '/' && strncmp(pattern, place, strlen(place)))
                break;
            snprintf(concerned, sizeof concerned, "glob of %s, %x", pattern, with | (again ? GLOB_APPEND : 0));
            // What a bracket expression that has no end means is left open. glibc loses a slash behind an escaped character, and of slashes
            // at the ends it is not of one mind.
            if (strstr(pattern, "\\") || strstr(pattern, "///") || pattern[strlen(pattern) - 1 + !*pattern] == '/')
                break;
            int expected = glob(pattern, with | (again ? GLOB_APPEND : 0), 0, &a);
            CHECK(model_glob(pattern, with | (again ? GLOB_APPEND : 0), 0, &b) == expected);
            CHECK(a.gl_pathc == b.gl_pathc);
            for (size_t i = 0; i < a.gl_pathc && a.gl_pathc == b.gl_pathc; i++)
                CHECK(!strcmp(a.gl_pathv[a.gl_offs + i], b.gl_pathv[b.gl_offs + i]));
            CHECK(!expected && !strchr(pattern, '/') ? (a.gl_flags & GLOB_MAGCHAR) == (b.gl_flags & GLOB_MAGCHAR) : 1);
        }
        globfree(&a), model_globfree(&b);
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(names[i]);
    unlink("link"), unlink("dangling");
    for (size_t i = sizeof directories / sizeof *directories; i; i--)
        rmdir(directories[i - 1]);
    if (chdir(top) || rmdir("x/y") || rmdir("x") || chdir(before) || rmdir(top))
        abort();
}

int expressions(void)
{
    regular();
    files();
    return failures;
}
