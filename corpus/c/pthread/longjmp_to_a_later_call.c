// The call that made the buffer has returned; the same function is active again, at the same depth, and has not called setjmp.
#include <setjmp.h>

static jmp_buf buffer;

static void run(int first)
{
    if (first) {
        setjmp(buffer);
        return;
    }
    longjmp(buffer, 1); // expect: pthread.misuse
}

int main(void)
{
    for (int first = 1; first >= 0; first--)
        run(first);
    return 0;
}
