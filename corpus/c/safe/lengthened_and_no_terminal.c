// posix_fallocate lengthens a file and never shortens it; readdir_r; no descriptor is a terminal.
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void)
{
    struct stat status;
    int fd = open("file", O_CREAT | O_RDWR, 0600), ends[2];
    assert(posix_fallocate(fd, 10, 5) == 0 && fstat(fd, &status) == 0 && status.st_size == 15);
    assert(posix_fallocate(fd, 0, 3) == 0 && fstat(fd, &status) == 0 && status.st_size == 15);
    assert(posix_fallocate(fd, 0, 0) == EINVAL && posix_fallocate(99, 0, 1) == EBADF);
    assert(pipe(ends) == 0 && posix_fallocate(ends[1], 0, 1) == ESPIPE);
    assert(posix_fallocate(ends[0], 0, 1) == EBADF);
    char name[16];
    assert(!ttyname(0) && ttyname_r(99, name, sizeof name) == EBADF && ttyname_r(fd, name, sizeof name) == ENOTTY);
    mkdir("d", 0700);
    close(open("d/a", O_CREAT | O_WRONLY, 0600));
    DIR *directory = opendir("d");
    struct dirent entry, *next;
    int seen = 0;
    while (readdir_r(directory, &entry, &next) == 0 && next)
        seen += next == &entry && !strcmp(entry.d_name, "a");
    assert(seen == 1 && !next);
    closedir(directory);
    return 0;
}
