// Options of a command line, as glibc takes them: operands are moved behind options, long names may be shortened. The
// environment is empty, so POSIXLY_CORRECT is not set.
#define _GNU_SOURCE
#include <getopt.h>
#include <stdio.h>
#include <string.h>

// What is done with operands before the last option.
enum ordering { PERMUTE, STOP, RETURN };

static struct
{
    int started;
    enum ordering ordering;
    // The rest of the word that is being taken apart.
    char *next;
    // Operands that were skipped, and are not moved yet: from `first` to before `last`.
    int first, last;
} scan;

struct call
{
    int argc;
    char **argv;
    const char *letters;
    const struct option *names;
    int *index;
    // Long options may begin with one dash.
    int only;
    // Nobody asked for silence.
    int loud;
};

static void swap(char **argv, int a, int b)
{
    for (; a < b; a++, b--)
    {
        char *word = argv[a];
        argv[a] = argv[b];
        argv[b] = word;
    }
}

// Moves the operands that were skipped behind the options after them.
static void move(char **argv)
{
    swap(argv, scan.first, scan.last - 1);
    swap(argv, scan.last, optind - 1);
    swap(argv, scan.first, optind - 1);
    scan.first += optind - scan.last;
    scan.last = optind;
}

static int is_operand(const char *word)
{
    return word[0] != '-' || !word[1];
}

static int missing(const struct call *call)
{
    return call->letters[0] == ':' ? ':' : '?';
}

// Whether it matters which of two options is meant.
static int differ(const struct call *call, const struct option *a, const struct option *b)
{
    return call->only || a->has_arg != b->has_arg || a->flag != b->flag || a->val != b->val;
}

static int ambiguous(const struct call *call, const struct option *found, size_t length, const char *dashes)
{
    if (call->loud)
    {
        fprintf(stderr, "%s: option '%s%s' is ambiguous; possibilities:", call->argv[0], dashes, scan.next);
        for (const struct option *name = call->names; name->name; name++)
            if (!strncmp(name->name, scan.next, length) && (name == found || differ(call, found, name)))
                fprintf(stderr, " '%s%s'", dashes, name->name);
        fprintf(stderr, "\n");
    }
    scan.next += strlen(scan.next);
    optind++;
    optopt = 0;
    return '?';
}

// The option of a word that begins with a name; -1 if it may be letters.
static int long_option(const struct call *call, const char *dashes)
{
    const char *end = scan.next;
    while (*end && *end != '=')
        end++;
    size_t length = (size_t)(end - scan.next);
    const struct option *found = 0;
    for (const struct option *name = call->names; name->name && !found; name++)
        if (!strncmp(name->name, scan.next, length) && !name->name[length])
            found = name;
    if (!found)
        for (const struct option *name = call->names; name->name; name++)
        {
            if (strncmp(name->name, scan.next, length))
                continue;
            if (!found)
                found = name;
            else if (differ(call, found, name))
                return ambiguous(call, found, length, dashes);
        }
    if (!found)
    {
        if (call->only && call->argv[optind][1] != '-' && strchr(call->letters, *scan.next))
            return -1;
        if (call->loud)
            fprintf(stderr, "%s: unrecognized option '%s%s'\n", call->argv[0], dashes, scan.next);
        scan.next = 0;
        optind++;
        optopt = 0;
        return '?';
    }
    optind++;
    scan.next = 0;
    if (*end && !found->has_arg)
    {
        if (call->loud)
            fprintf(stderr, "%s: option '%s%s' doesn't allow an argument\n", call->argv[0], dashes, found->name);
        optopt = found->val;
        return '?';
    }
    if (*end)
        optarg = (char *)end + 1;
    else if (found->has_arg == required_argument)
    {
        if (optind >= call->argc)
        {
            if (call->loud)
                fprintf(stderr, "%s: option '%s%s' requires an argument\n", call->argv[0], dashes, found->name);
            optopt = found->val;
            return missing(call);
        }
        optarg = call->argv[optind++];
    }
    if (call->index)
        *call->index = (int)(found - call->names);
    if (!found->flag)
        return found->val;
    *found->flag = found->val;
    return 0;
}

// The argument of a letter; 0 if there is none.
static int argument(const struct call *call, char letter)
{
    if (*scan.next)
    {
        optarg = scan.next;
        optind++;
    }
    else if (optind == call->argc)
    {
        if (call->loud)
            fprintf(stderr, "%s: option requires an argument -- '%c'\n", call->argv[0], letter);
        optopt = letter;
        return 0;
    }
    else
        optarg = call->argv[optind++];
    return 1;
}

static int letter(const struct call *call)
{
    char letter = *scan.next++;
    const char *known = strchr(call->letters, letter);
    if (!*scan.next)
        optind++;
    if (!known || letter == ':' || letter == ';')
    {
        if (call->loud)
            fprintf(stderr, "%s: invalid option -- '%c'\n", call->argv[0], letter);
        optopt = letter;
        return '?';
    }
    // `-W name` is `--name`.
    if (known[0] == 'W' && known[1] == ';' && call->names)
    {
        if (*scan.next)
            optarg = scan.next;
        else if (optind == call->argc)
            return argument(call, letter) ? 0 : missing(call);
        else
            optarg = call->argv[optind];
        scan.next = optarg;
        optarg = 0;
        struct call named = *call;
        named.only = 0;
        return long_option(&named, "-W ");
    }
    if (known[1] != ':')
        return letter;
    int result = letter;
    if (known[2] != ':')
        result = argument(call, letter) ? letter : missing(call);
    else if (*scan.next)
    {
        optarg = scan.next;
        optind++;
    }
    scan.next = 0;
    return result;
}

static int take(struct call *call, enum ordering usual)
{
    char **argv = call->argv;
    if (call->argc < 1)
        return -1;
    optarg = 0;
    if (!optind || !scan.started)
    {
        if (!optind)
            optind = 1;
        scan.first = scan.last = optind;
        scan.next = 0;
        scan.started = 1;
        scan.ordering = call->letters[0] == '-' ? RETURN : call->letters[0] == '+' ? STOP : usual;
    }
    if (call->letters[0] == '-' || call->letters[0] == '+')
        call->letters++;
    call->loud = opterr && call->letters[0] != ':';
    if (scan.next && *scan.next)
        return letter(call);
    if (scan.last > optind)
        scan.last = optind;
    if (scan.first > optind)
        scan.first = optind;
    if (scan.ordering == PERMUTE)
    {
        if (scan.first != scan.last && scan.last != optind)
            move(argv);
        else if (scan.last != optind)
            scan.first = optind;
        while (optind < call->argc && is_operand(argv[optind]))
            optind++;
        scan.last = optind;
    }
    if (optind != call->argc && !strcmp(argv[optind], "--"))
    {
        optind++;
        if (scan.first != scan.last && scan.last != optind)
            move(argv);
        else if (scan.first == scan.last)
            scan.first = optind;
        scan.last = optind = call->argc;
    }
    if (optind == call->argc)
    {
        if (scan.first != scan.last)
            optind = scan.first;
        return -1;
    }
    if (is_operand(argv[optind]))
    {
        if (scan.ordering == STOP)
            return -1;
        optarg = argv[optind++];
        return 1;
    }
    if (call->names && argv[optind][1] == '-')
    {
        scan.next = argv[optind] + 2;
        return long_option(call, "--");
    }
    if (call->names && call->only && (argv[optind][2] || !strchr(call->letters, argv[optind][1])))
    {
        scan.next = argv[optind] + 1;
        int result = long_option(call, "-");
        if (result != -1)
            return result;
    }
    scan.next = argv[optind] + 1;
    return letter(call);
}

int getopt(int argc, char *const *argv, const char *letters)
{
    struct call call = {.argc = argc, .argv = (char **)argv, .letters = letters};
    return take(&call, PERMUTE);
}

int __posix_getopt(int argc, char *const *argv, const char *letters);
int __posix_getopt(int argc, char *const *argv, const char *letters)
{
    struct call call = {.argc = argc, .argv = (char **)argv, .letters = letters};
    return take(&call, STOP);
}

int getopt_long(int argc, char *const *argv, const char *letters, const struct option *names, int *index)
{
    struct call call = {.argc = argc, .argv = (char **)argv, .letters = letters, .names = names, .index = index};
    return take(&call, PERMUTE);
}

int getopt_long_only(int argc, char *const *argv, const char *letters, const struct option *names, int *index)
{
    struct call call = {
        .argc = argc, .argv = (char **)argv, .letters = letters, .names = names, .index = index, .only = 1};
    return take(&call, PERMUTE);
}

int getsubopt(char **rest, char *const *tokens, char **value)
{
    char *word = *rest;
    if (!*word)
        return -1;
    char *end = strchr(word, ',');
    if (!end)
        end = word + strlen(word);
    char *sign = memchr(word, '=', (size_t)(end - word));
    size_t length = (size_t)((sign ? sign : end) - word);
    *rest = end;
    if (*end)
    {
        *end = 0;
        ++*rest;
    }
    for (int number = 0; tokens[number]; number++)
        if (!strncmp(word, tokens[number], length) && !tokens[number][length])
        {
            *value = sign ? sign + 1 : 0;
            return number;
        }
    *value = word;
    return -1;
}
