// Devices, terminals that are none, shared memory, limits of files.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

static void shown(const char *what, long result) { printf("%s %ld %d\n", what, result, result < 0 ? errno : 0); }

static void random_bytes(void)
{
    static const char *const names[] = {"/dev/random", "/dev/urandom"};
    for (int i = 0; i < 2; i++) {
        unsigned char bytes[64] = {0}, zeros[64] = {0};
        int fd = open(names[i], O_RDONLY | O_CLOEXEC);
        struct stat status;
        shown("fstat", fstat(fd, &status));
        printf("%d\n", S_ISCHR(status.st_mode));
        shown("read", read(fd, bytes, sizeof bytes));
        printf("%d\n", memcmp(bytes, zeros, sizeof bytes) != 0);
        shown("read", read(fd, zeros, sizeof bytes));
        printf("%d\n", memcmp(bytes, zeros, sizeof bytes) != 0);
        shown("close", close(fd));
    }
    FILE *stream = fopen("/dev/urandom", "r");
    char bytes[100];
    printf("%zu\n", fread(bytes, 1, sizeof bytes, stream));
    fclose(stream);
}

static void control(void)
{
    int ends[2], count = -1, on = 1, off = 0;
    struct winsize size;
    pipe(ends);
    shown("FIONREAD", ioctl(ends[0], FIONREAD, &count));
    printf("%d\n", count);
    write(ends[1], "hello", 5);
    shown("FIONREAD", ioctl(ends[0], FIONREAD, &count));
    printf("%d\n", count);
    shown("TIOCGWINSZ", ioctl(ends[0], TIOCGWINSZ, &size));
    shown("TIOCGWINSZ", ioctl(99, TIOCGWINSZ, &size));
    shown("FIONBIO", ioctl(ends[0], FIONBIO, &on));
    printf("%d\n", (fcntl(ends[0], F_GETFL) & O_NONBLOCK) != 0);
    shown("FIONBIO", ioctl(ends[0], FIONBIO, &off));
    printf("%d\n", (fcntl(ends[0], F_GETFL) & O_NONBLOCK) != 0);
    shown("FIOCLEX", ioctl(ends[0], FIOCLEX));
    printf("%d\n", fcntl(ends[0], F_GETFD));
    shown("FIONCLEX", ioctl(ends[0], FIONCLEX));
    printf("%d\n", fcntl(ends[0], F_GETFD));
    shown("FIONREAD", ioctl(77, FIONREAD, &count));
    shown("FIONBIO", ioctl(77, FIONBIO, &on));
    int pair[2];
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    write(pair[0], "abc", 3);
    shown("FIONREAD", ioctl(pair[1], FIONREAD, &count));
    printf("%d\n", count);
    shown("FIONREAD", ioctl(pair[0], FIONREAD, &count));
    printf("%d\n", count);
    int file = open("given", O_RDONLY);
    lseek(file, 2, SEEK_SET);
    shown("FIONREAD", ioctl(file, FIONREAD, &count));
    printf("%d\n", count);
    struct termios terminal;
    shown("tcgetattr", tcgetattr(ends[0], &terminal));
    shown("tcgetattr", tcgetattr(88, &terminal));
    memset(&terminal, 0, sizeof terminal);
    shown("tcsetattr", tcsetattr(ends[0], TCSANOW, &terminal));
    shown("tcsetattr", tcsetattr(ends[0], 9, &terminal));
    shown("tcdrain", tcdrain(ends[0]));
    shown("tcflow", tcflow(ends[0], TCOOFF));
    shown("tcflush", tcflush(ends[0], TCIFLUSH));
    shown("tcsendbreak", tcsendbreak(ends[0], 0));
    shown("tcgetsid", tcgetsid(ends[0]));
    shown("tcgetpgrp", tcgetpgrp(ends[0]));
}

static void shared_memory(void)
{
    const char *name = "/selvedge-files-test";
    shm_unlink(name);
    shown("shm_open", shm_open(name, O_RDWR, 0600));
    shown("shm_open", shm_open("/a/b", O_RDWR, 0600));
    shown("shm_open", shm_open("/", O_RDWR | O_CREAT, 0600));
    int fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    printf("%d %d\n", fd >= 0, fcntl(fd, F_GETFD));
    shown("shm_open", shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600));
    shown("ftruncate", ftruncate(fd, 5000));
    struct stat status;
    shown("fstat", fstat(fd, &status));
    printf("%ld %o\n", (long)status.st_size, status.st_mode);
    int *numbers = mmap(NULL, 5000, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    printf("%d %d\n", numbers != MAP_FAILED, numbers[1000]);
    numbers[1000] = 7;
    printf("%d\n", numbers[1000]);
    shown("msync", msync(numbers, 5000, MS_SYNC));
    shown("msync", msync(numbers, 5000, MS_SYNC | MS_ASYNC));
    shown("msync", msync(numbers + 1, 5000, MS_SYNC));
    shown("munmap", munmap(numbers, 5000));
    shown("close", close(fd));
    shown("shm_unlink", shm_unlink(name));
    shown("shm_unlink", shm_unlink(name));
    shown("shm_unlink", shm_unlink("a/b"));
    fd = memfd_create("some name", MFD_CLOEXEC);
    printf("%d %d\n", fd >= 0, fcntl(fd, F_GETFD));
    shown("write", write(fd, "abc", 3));
    char bytes[4] = "";
    shown("pread", pread(fd, bytes, 3, 0));
    fstat(fd, &status);
    printf("%s %ld %d %o\n", bytes, (long)status.st_size, (int)status.st_nlink, status.st_mode);
    char *mapped = mmap(NULL, 3, PROT_READ, MAP_SHARED, fd, 0);
    printf("%.3s\n", mapped);
    munmap(mapped, 3);
    close(fd);
}

static void limits(void)
{
    struct statvfs all;
    shown("statvfs", statvfs("none", &all));
    shown("fstatvfs", fstatvfs(66, &all));
    shown("statvfs", statvfs(".", &all));
    printf("%lu %lu %d\n", all.f_bsize, all.f_namemax, all.f_bavail > 1000);
    shown("pathconf", pathconf("none", _PC_NAME_MAX));
    shown("pathconf", pathconf("", _PC_NAME_MAX));
    shown("pathconf", pathconf(".", _PC_NAME_MAX));
    shown("pathconf", pathconf(".", _PC_PATH_MAX));
    shown("pathconf", pathconf(".", _PC_PIPE_BUF));
    shown("pathconf", pathconf(".", 999));
    shown("fpathconf", fpathconf(66, _PC_NAME_MAX));
    shown("fpathconf", fpathconf(0, _PC_NAME_MAX));
    int status;
    shown("wait", wait(&status));
    shown("waitpid", waitpid(-1, &status, WNOHANG));
    shown("waitpid", waitpid(12345678, &status, WNOHANG));
    shown("waitpid", waitpid(INT_MIN, &status, WNOHANG));
    shown("waitpid", waitpid(-1, &status, 1 << 20));
    siginfo_t information;
    shown("waitid", waitid(P_ALL, 0, &information, WEXITED));
    shown("waitid", waitid(P_ALL, 0, &information, 0));
    shown("waitid", waitid(P_PID, 0, &information, WEXITED));
    shown("waitid", waitid(77, 0, &information, WEXITED));
    sync();
    shown("syncfs", syncfs(66));
}

int main(void)
{
    random_bytes();
    control();
    shared_memory();
    limits();
}
