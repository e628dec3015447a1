// Printing goes to the captured output, not where its descriptor was redirected to.
// unknown: redirected
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    dup2(open("/dev/null", O_WRONLY), 1);
    puts("hello");
    return 0;
}
