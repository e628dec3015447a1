// As programs do at their end: standard input is closed, and its descriptor is free again.
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    assert(getchar() == EOF && feof(stdin));
    assert(fclose(stdin) == 0);
    char byte;
    assert(read(0, &byte, 1) == -1 && errno == EBADF);
    assert(open("/dev/null", O_RDONLY) == 0);
    return 0;
}
