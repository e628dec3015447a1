// Modes and owners of files.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

static int mode(const char *name)
{
    struct stat file;
    return stat(name, &file) ? -1 : (int)(file.st_mode & 07777);
}

int main(void)
{
    int fd = open("made", O_RDWR | O_CREAT | O_EXCL, 0600);
    printf("%o\n", mode("made"));
    for (int bits = 0; bits < 0777; bits += 0111)
    {
        int done = chmod("made", bits);
        printf("%d %o\n", done, mode("made"));
    }
    printf("%d\n", fchmod(fd, 0751));
    printf("%o\n", mode("made"));
    printf("%d\n", fchmod(fd, 0100644));
    printf("%o\n", mode("made"));
    errno = 0;
    printf("%d\n", chmod("nothing", 0644));
    printf("%d\n", errno == ENOENT);
    errno = 0;
    printf("%d\n", fchmod(77, 0644));
    printf("%d\n", errno == EBADF);
    struct stat file;
    fstat(fd, &file);
    printf("%d\n", chown("made", file.st_uid, (gid_t)-1));
    printf("%d\n", fchown(fd, (uid_t)-1, file.st_gid));
    printf("%d\n", lchown("made", (uid_t)-1, (gid_t)-1));
    errno = 0;
    printf("%d\n", chown("nothing", (uid_t)-1, (gid_t)-1));
    printf("%d\n", errno == ENOENT);
    struct utimbuf times = {file.st_atime, file.st_mtime};
    printf("%d\n", utime("made", &times));
    close(fd);
    return unlink("made");
}
