// Descriptors: what each call answers, and errno. The standard input holds "first line\nsecond\n"; the file `given` holds "abcdef".
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void say(const char *what, long result)
{
    if (result < 0)
        printf("%s: %ld (%s)\n", what, result, strerror(errno));
    else
        printf("%s: %ld\n", what, result);
}

static void show(const char *what, int fd)
{
    char text[100];
    ssize_t n = read(fd, text, sizeof text);
    if (n < 0)
        say(what, n);
    else
        printf("%s: %zd \"%.*s\"\n", what, n, (int)n, text);
}

static void regular(void)
{
    char text[16];
    struct stat status;
    say("open missing", open("missing", O_RDONLY));
    int given = open("given", O_RDONLY);
    say("open given", given);
    say("read 4", read(given, text, 4));
    printf("%.4s\n", text);
    show("the rest", given);
    show("the end", given);
    say("seek to 1", lseek(given, 1, SEEK_SET));
    say("seek on by 2", lseek(given, 2, SEEK_CUR));
    show("from 3", given);
    say("seek before", lseek(given, -1, SEEK_SET));
    say("seek from end", lseek(given, -2, SEEK_END));
    say("seek strangely", lseek(given, 0, 9));
    say("write to it", write(given, "x", 1));
    say("truncate it", ftruncate(given, 0));
    say("pread", pread(given, text, 3, 1));
    printf("%.3s, at %ld\n", text, (long)lseek(given, 0, SEEK_CUR));
    say("pread beyond", pread(given, text, 3, 100));
    say("close", close(given));
    say("close again", close(given));
    say("read closed", read(given, text, 1));
    say("close -1", close(-1));

    int made = open("made", O_RDWR | O_CREAT | O_TRUNC, 0640);
    say("create", made);
    say("create again", open("made", O_RDWR | O_CREAT | O_EXCL, 0640));
    say("write", write(made, "hello world", 11));
    say("write nothing", write(made, "", 0));
    say("back", lseek(made, 0, SEEK_SET));
    show("all", made);
    say("beyond", lseek(made, 20, SEEK_SET));
    say("write there", write(made, "!", 1));
    say("pwrite", pwrite(made, "HELLO", 5, 0));
    fstat(made, &status);
    printf("size %ld mode %o regular %d links %d\n", (long)status.st_size, status.st_mode & 0777, S_ISREG(status.st_mode),
           (int)status.st_nlink);
    lseek(made, 0, SEEK_SET);
    memset(text, '?', sizeof text);
    say("read holes", read(made, text, 16));
    for (int i = 0; i < 16; i++)
        printf("%d ", text[i]);
    printf("\n");
    say("shorten", ftruncate(made, 5));
    say("lengthen", ftruncate(made, 8));
    lseek(made, 0, SEEK_SET);
    memset(text, '?', sizeof text);
    say("read", read(made, text, 16));
    for (int i = 0; i < 9; i++)
        printf("%d ", text[i]);
    printf("\n");
    say("negative length", ftruncate(made, -1));
    say("stat", stat("made", &status));
    say("size", status.st_size);
    say("stat missing", stat("missing", &status));
    say("access", access("made", R_OK | W_OK));
    say("access to execute", access("made", X_OK));
    say("access missing", access("missing", F_OK));
    say("fsync", fsync(made));

    int appended = open("./made", O_WRONLY | O_APPEND);
    say("append", write(appended, "++", 2));
    say("position", lseek(appended, 0, SEEK_CUR));
    say("read it", read(appended, text, 1));
    say("flags", fcntl(appended, F_GETFL) & (O_ACCMODE | O_APPEND | O_NONBLOCK));
    say("no append", fcntl(appended, F_SETFL, 0));
    say("flags", fcntl(appended, F_GETFL) & (O_ACCMODE | O_APPEND | O_NONBLOCK));
    say("same file", lseek(made, 0, SEEK_END));

    int again = dup(made);
    say("dup", again);
    lseek(made, 3, SEEK_SET);
    say("shared position", lseek(again, 0, SEEK_CUR));
    say("close first", close(made));
    show("still open", again);
    say("lowest", dup(again));
    say("dup closed", dup(77));
    say("dup2", dup2(again, 50));
    say("dup2 same", dup2(50, 50));
    say("dup2 closed", dup2(77, 50));
    say("dup2 to -1", dup2(50, -1));
    say("dup2 over", dup2(appended, 50));
    say("write through it", write(50, "z", 1));
    say("F_DUPFD", fcntl(50, F_DUPFD, 60));
    say("not a terminal", isatty(50));
    printf("%s\n", strerror(errno));
    say("unlink", unlink("made"));
    say("unlink again", unlink("made"));
    say("stat unlinked", stat("made", &status));
    fstat(again, &status);
    printf("links %d\n", (int)status.st_nlink);
    say("still written", write(again, "w", 1));
    say("creat", close(creat("made", 0600)));
    say("new size", (stat("made", &status), status.st_size));
    say("rename", rename("made", "moved"));
    say("old name", access("made", F_OK));
    say("new name", access("moved", F_OK));
    say("rename missing", rename("missing", "there"));
    say("in no directory", open("nowhere/file", O_CREAT | O_WRONLY, 0600));
    say("empty name", open("", O_RDONLY));
    say("in a temporary directory", open("/tmp/selvedge-no-such-file", O_RDONLY));
}

static void pipes(void)
{
    int ends[2];
    char text[8];
    struct stat status;
    say("pipe", pipe(ends));
    say("write", write(ends[1], "abcdef", 6));
    say("read 4", read(ends[0], text, 4));
    printf("%.4s\n", text);
    say("write more", write(ends[1], "gh", 2));
    say("wrong end", read(ends[1], text, 1));
    say("other wrong end", write(ends[0], text, 1));
    say("seek", lseek(ends[0], 0, SEEK_SET));
    say("pread", pread(ends[0], text, 1, 0));
    fstat(ends[0], &status);
    printf("fifo %d\n", S_ISFIFO(status.st_mode));
    say("no waiting", fcntl(ends[0], F_SETFL, O_NONBLOCK));
    show("all", ends[0]);
    show("nothing", ends[0]);
    say("close writer", close(ends[1]));
    show("end", ends[0]);
    say("close", close(ends[0]));

    signal(SIGPIPE, SIG_IGN);
    say("pipe", pipe2(ends, O_NONBLOCK));
    static char block[70000];
    memset(block, 'x', sizeof block);
    say("too much", write(ends[1], block, sizeof block));
    say("full", write(ends[1], block, 1));
    say("a part", read(ends[0], block, 4096));
    say("does not fit", write(ends[1], block, 4097));
    say("close reader", close(ends[0]));
    say("broken", write(ends[1], "x", 1));
    close(ends[1]);

    pipe(ends);
    int copy = dup(ends[1]);
    close(ends[1]);
    say("write to the copy", write(copy, "1", 1));
    show("read", ends[0]);
    close(copy);
    show("end", ends[0]);
}

int main(void)
{
    char text[6];
    setvbuf(stdout, NULL, _IONBF, 0);
    say("stdin", read(0, text, 5));
    printf("%.5s\n", text);
    show("stdin", 0);
    show("stdin", 0);
    say("back", lseek(0, 6, SEEK_SET));
    show("stdin", 0);
    say("write to stdin", write(0, "x", 1));
    say("read stdout", write(1, "out\n", 4));
    int null = open("/dev/null", O_RDWR);
    say("null", read(null, text, 5));
    say("null", write(null, text, 5));
    int zero = open("/dev/zero", O_RDONLY);
    say("zero", read(zero, text, 5));
    printf("%d\n", text[4]);
    close(zero);
    close(null);
    regular();
    pipes();
    dprintf(1, "done %d\n", 1);
    return 0;
}
