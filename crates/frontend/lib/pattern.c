// Patterns of file names, in the locale "C".
#define _GNU_SOURCE
#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

void __selvedge_unsupported(const char *what);

static int folded(int byte, int flags) { return flags & FNM_CASEFOLD ? tolower(byte) : byte; }

static int in_class(const char *name, size_t length, int byte)
{
    static const struct
    {
        char name[8];
        int (*holds)(int);
    } classes[] = {{"alnum", isalnum}, {"alpha", isalpha}, {"blank", isblank}, {"cntrl", iscntrl}, {"digit", isdigit}, {"graph", isgraph},
        {"lower", islower}, {"print", isprint}, {"punct", ispunct}, {"space", isspace}, {"upper", isupper}, {"xdigit", isxdigit}};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (strlen(classes[i].name) == length && !strncmp(classes[i].name, name, length))
            return classes[i].holds(byte) != 0;
    return 0;
}

// Matches a byte against the bracket expression after `[`. Moves the pattern behind it; false in `*closed` if it has no end.
static int in_bracket(const char **pattern, unsigned char byte, int flags, int *closed)
{
    const char *at = *pattern;
    int inverted = *at == '!' || *at == '^', found = 0;
    at += inverted;
    *closed = 0;
    for (int first = 1; *at && (first || *at != ']'); first = 0)
    {
        if (at[0] == '[' && at[1] == ':')
        {
            const char *end = strstr(at + 2, ":]");
            if (end)
            {
                found |= in_class(at + 2, (size_t)(end - at - 2), byte);
                at = end + 2;
                continue;
            }
        }
        if (at[0] == '[' && (at[1] == '.' || at[1] == '='))
            __selvedge_unsupported("a collating element in a pattern");
        if (*at == '\\' && !(flags & FNM_NOESCAPE) && at[1])
            at++;
        if (*at == '/' && flags & FNM_PATHNAME)
            return 0; // no bracket expression
        unsigned char from = (unsigned char)*at++, to = from;
        if (at[0] == '-' && at[1] && at[1] != ']')
        {
            at++;
            if (*at == '\\' && !(flags & FNM_NOESCAPE) && at[1])
                at++;
            to = (unsigned char)*at++;
        }
        int folds = folded(byte, flags);
        found |= folded(from, flags) <= folds && folds <= folded(to, flags);
    }
    if (*at != ']')
        return 0;
    *closed = 1;
    *pattern = at + 1;
    return found != inverted;
}

// `start`: a leading period here has to be matched by one.
static int match(const char *pattern, const char *text, int flags, int start)
{
    for (; *pattern; start = flags & FNM_PATHNAME && text[-1] == '/')
    {
        int period = *text == '.' && start && flags & FNM_PERIOD;
        char p = *pattern++;
        if (p == '*')
        {
            if (period)
                return FNM_NOMATCH;
            while (*pattern == '*')
                pattern++;
            for (;; text++)
            {
                if (!match(pattern, text, flags, start && text[0] == '.' ? 0 : start))
                    return 0;
                if (!*text || (*text == '/' && flags & FNM_PATHNAME))
                    return FNM_NOMATCH;
                start = 0;
            }
        }
        if (!*text)
            return FNM_NOMATCH;
        if (p == '?')
        {
            if (period || (*text == '/' && flags & FNM_PATHNAME))
                return FNM_NOMATCH;
        }
        else if (p == '[')
        {
            int closed;
            const char *behind = pattern;
            int found = in_bracket(&behind, (unsigned char)*text, flags, &closed);
            if (closed)
            {
                if (period || !found || (*text == '/' && flags & FNM_PATHNAME))
                    return FNM_NOMATCH;
                pattern = behind;
            }
            else if (*text != '[')
                return FNM_NOMATCH;
        }
        else
        {
            if (p == '\\' && !(flags & FNM_NOESCAPE))
            {
                if (!*pattern)
                    return FNM_NOMATCH;
                p = *pattern++;
            }
            if (folded((unsigned char)p, flags) != folded((unsigned char)*text, flags))
                return FNM_NOMATCH;
        }
        text++;
    }
    return !*text || (flags & FNM_LEADING_DIR && *text == '/') ? 0 : FNM_NOMATCH;
}

int fnmatch(const char *pattern, const char *text, int flags)
{
    if (flags & FNM_EXTMATCH)
        __selvedge_unsupported("an extended pattern");
    return match(pattern, text, flags, 1);
}
