// Positions, holes, truncation, duplicates.
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void)
{
    char text[16];
    struct stat status;
    assert(open("missing", O_RDONLY) == -1 && errno == ENOENT);
    int fd = open("file", O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert(fd == 3 && write(fd, "hello", 5) == 5);
    assert(lseek(fd, 8, SEEK_SET) == 8 && write(fd, "!", 1) == 1);
    int copy = dup(fd);
    assert(copy == 4 && lseek(copy, 0, SEEK_CUR) == 9);
    assert(pread(copy, text, 16, 3) == 6 && !memcmp(text, "lo\0\0\0!", 6));
    assert(ftruncate(fd, 2) == 0 && fstat(fd, &status) == 0 && status.st_size == 2);
    assert(close(fd) == 0 && close(fd) == -1 && errno == EBADF);
    assert(lseek(copy, 0, SEEK_SET) == 0 && read(copy, text, 16) == 2 && read(copy, text, 16) == 0);
    assert(write(0, text, 1) == -1 && errno == EBADF);
    return 0;
}
