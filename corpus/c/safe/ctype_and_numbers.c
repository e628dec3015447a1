// Character classes, numbers from text, absolute values and quotients.
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

int main(void)
{
    char *end;
    assert(isalpha('q') && !isalpha('1') && isdigit('7') && isspace('\t') && isxdigit('F') && ispunct('!'));
    assert(toupper('a') == 'A' && tolower('A') == 'a' && toupper('1') == '1');
    assert(strtol("  -0x1fz", &end, 0) == -31 && *end == 'z');
    assert(strtoul("777", 0, 8) == 511 && strtoll("zz", 0, 36) == 1295);
    errno = 0;
    assert(strtol("9223372036854775808", 0, 10) == LONG_MAX && errno == ERANGE);
    assert(atoi("-12") == -12 && atol("34") == 34 && abs(-5) == 5 && labs(-6) == 6);
    div_t quotient = div(-7, 2);
    assert(quotient.quot == -3 && quotient.rem == -1);
    return 0;
}
