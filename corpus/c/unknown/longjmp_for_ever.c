// A loop without an end that no jump of the code closes.
// options: --unroll 20
// unknown: more than 20 times
#include <setjmp.h>

static jmp_buf top;

int main(void)
{
    setjmp(top);
    longjmp(top, 1);
}
