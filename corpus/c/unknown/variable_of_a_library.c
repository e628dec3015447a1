// A variable of glibc whose value is not known here: reading it has no answer, its name is said.
// unknown: variable `program_invocation_short_name`, which nothing defines
#define _GNU_SOURCE
#include <errno.h>

int main(void) {
    return program_invocation_short_name[0] == 0;
}
