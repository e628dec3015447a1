// Files in memory and locks of files, in one thread.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

static void *show(const char *what, void *at)
{
    printf("%s %d %d\n", what, at != MAP_FAILED, at == MAP_FAILED ? errno : 0);
    return at;
}

static void lock(const char *what, int fd, int operation)
{
    errno = 0;
    int result = flock(fd, operation);
    printf("%s %d %d\n", what, result, errno);
}

static void maps(void)
{
    char text[5000];
    for (unsigned i = 0; i < sizeof text; i++)
        text[i] = (char)('a' + i % 26);
    int fd = open("mapped", O_RDWR | O_CREAT | O_TRUNC, 0600);
    printf("%d\n", write(fd, text, sizeof text) == sizeof text);
    char *private = show("private", mmap(0, sizeof text, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0));
    char *constant = show("constant", mmap(0, 5000, PROT_READ, MAP_PRIVATE, fd, 0));
    printf("%d %d\n", memcmp(private, text, sizeof text), memcmp(constant, text, sizeof text));
    printf("%d %d\n", private[5000], private[8191]);
    private[3] = 'X';
    printf("%c %c\n", private[3], constant[3]);
    printf("%ld %c\n", (long)pread(fd, text, 4, 0), text[3]);
    char *second = show("second page", mmap(0, 904, PROT_READ, MAP_PRIVATE, fd, 4096));
    printf("%d\n", memcmp(second, private + 4096, 904));
    char *part = show("part", mmap(0, 10, PROT_READ, MAP_PRIVATE, fd, 0));
    printf("%c\n", part[4095]);
    printf("%d %d\n", munmap(private, 5000), munmap(constant, 8192));
    printf("%d %d\n", munmap(second, 904), munmap(part, 10));
    show("length 0", mmap(0, 0, PROT_READ, MAP_PRIVATE, fd, 0));
    show("offset", mmap(0, 10, PROT_READ, MAP_PRIVATE, fd, 10));
    show("closed", mmap(0, 10, PROT_READ, MAP_PRIVATE, 77, 0));
    int writes = open("mapped", O_WRONLY), reads = open("mapped", O_RDONLY);
    show("write only", mmap(0, 10, PROT_READ, MAP_PRIVATE, writes, 0));
    show("read only", mmap(0, 10, PROT_READ | PROT_WRITE, MAP_SHARED, reads, 0));
    char *copy = show("of read only", mmap(0, 10, PROT_READ | PROT_WRITE, MAP_PRIVATE, reads, 0));
    copy[0] = '!';
    printf("%c%c\n", copy[0], copy[1]);
    char *shared = show("shared", mmap(0, 10, PROT_READ, MAP_SHARED, reads, 0));
    close(reads);
    close(writes);
    close(fd);
    printf("%c%c\n", shared[0], shared[1]);
    printf("%d\n", munmap(shared, 10));

    char *grows = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    strcpy(grows, "kept");
    grows[4095] = 'e';
    grows = show("grows", mremap(grows, 4096, 12288, MREMAP_MAYMOVE));
    printf("%s %c %d %d\n", grows, grows[4095], grows[4096], grows[12287]);
    grows = show("shrinks", mremap(grows, 12288, 100, MREMAP_MAYMOVE));
    printf("%s %c\n", grows, grows[4095]);
    show("to nothing", mremap(grows, 4096, 0, MREMAP_MAYMOVE));
    printf("%d\n", munmap(grows, 4096));
}

static void locks(void)
{
    int a = open("locked", O_RDWR | O_CREAT, 0600), b = open("locked", O_RDONLY), c = dup(a);
    int other = open("other", O_RDWR | O_CREAT, 0600);
    lock("nothing", a, 0);
    lock("all", a, LOCK_SH | LOCK_EX);
    lock("closed", 77, LOCK_SH);
    lock("invalid before closed", 77, 64);
    lock("shared", a, LOCK_SH);
    lock("again", a, LOCK_SH | LOCK_NB);
    lock("both", b, LOCK_SH | LOCK_NB);
    lock("exclusive beside", a, LOCK_EX | LOCK_NB);
    // The failed attempt has given the shared lock up.
    lock("exclusive of the other", b, LOCK_EX | LOCK_NB);
    lock("shared beside exclusive", a, LOCK_SH | LOCK_NB);
    lock("another file", other, LOCK_EX | LOCK_NB);
    lock("unlock", b, LOCK_UN);
    lock("unlock what is free", b, LOCK_UN | LOCK_NB);
    lock("exclusive", a, LOCK_EX);
    lock("by the same open file", c, LOCK_EX | LOCK_NB);
    lock("excluded", b, LOCK_SH | LOCK_NB);
    close(a);
    lock("still excluded", b, LOCK_SH | LOCK_NB);
    printf("%d\n", (fcntl(c, F_GETFL) & O_ACCMODE) == O_RDWR);
    fcntl(c, F_SETFL, O_APPEND);
    lock("still excluded", b, LOCK_SH | LOCK_NB);
    lock("to shared", c, LOCK_SH | LOCK_NB);
    lock("not excluded", b, LOCK_SH | LOCK_NB);
    lock("to exclusive", c, LOCK_EX | LOCK_NB);
    lock("the other one", b, LOCK_EX);
    close(b);
    lock("closed ones have none", c, LOCK_EX | LOCK_NB);
    close(c);
    a = open("locked", O_RDONLY);
    lock("neither this one", a, LOCK_EX | LOCK_NB);
}

int main(void)
{
    maps();
    locks();
    return 0;
}
