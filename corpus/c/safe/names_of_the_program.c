// The names by which a program was started are those in argv[0].
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <string.h>

extern char *__progname, *__progname_full;

int main(int count, char **words)
{
    assert(count > 0 && program_invocation_name == words[0]);
    assert(strcmp(program_invocation_short_name, words[0]) == 0);
    assert(__progname == program_invocation_short_name && __progname_full == program_invocation_name);
    words[0][0] = 'x';
    assert(program_invocation_name[0] == 'x');
    return 0;
}
