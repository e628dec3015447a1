// A variable of glibc whose value is not known here: reading it has no answer, its name is said.
// unknown: variable `re_syntax_options`, which nothing defines
#define _GNU_SOURCE
#include <regex.h>

int main(void) {
    return re_syntax_options == 0;
}
