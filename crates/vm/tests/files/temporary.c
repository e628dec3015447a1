// Temporary files, advice, calls on streams that do not lock, the end of standard output.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
    char name[] = "nameXXXXXX", other[] = "nameXXXXXX", wrong[] = "nameXXXXX", after[] = "nameXXXXXX.txt";
    errno = 0;
    int a = mkstemp(name), b = mkstemp(other);
    printf("%d %d %d %d %d\n", a >= 0, b >= 0, strcmp(name, other) != 0, strncmp(name, "name", 4), errno);
    int failed = mkstemp(wrong);
    printf("%d %d\n", failed, errno == EINVAL);
    int c = mkstemps(after, 4);
    printf("%d %s\n", c >= 0, after + 10);
    failed = mkostemps(after, 4, 0);
    printf("%d %d\n", failed, errno == EINVAL);
    printf("%d %d\n", (int)write(a, "hello", 5), (int)lseek(a, 1, SEEK_SET));
    char text[10] = "";
    printf("%d %s\n", (int)read(a, text, 9), text);
    printf("%d %d\n", fcntl(a, F_GETFL) & O_ACCMODE, fcntl(a, F_GETFL) & O_EXCL);
    errno = 0;
    static const struct
    {
        int fd, advice;
        off_t offset, length;
    } asked[] = {{0, POSIX_FADV_SEQUENTIAL, 0, 0}, {0, 77, 0, 0}, {0, POSIX_FADV_NORMAL, 10, 20}, {0, POSIX_FADV_NOREUSE, 0, -1}, {99, 0, 0, 0}};
    for (int i = 0; i < 5; i++)
        printf("%d\n", posix_fadvise(asked[i].fd ? asked[i].fd : a, asked[i].offset, asked[i].length, asked[i].advice));
    int ends[2];
    printf("%d %d\n", pipe(ends), posix_fadvise(ends[0], 0, 0, 0) == ESPIPE);
    printf("%d\n", errno);
    unlink(name), unlink(other), unlink(after);
    FILE *file = tmpfile();
    printf("%d\n", file != NULL);
    printf("%d %zu\n", fputs_unlocked("some text", file), __fpending(file));
    printf("%d %zu\n", fflush_unlocked(file), __fpending(file));
    rewind(file);
    printf("%d %d %d\n", fgetc_unlocked(file), feof_unlocked(file), ferror_unlocked(file));
    while (fgetc_unlocked(file) != EOF)
        ;
    printf("%d\n", feof_unlocked(file) != 0);
    clearerr_unlocked(file);
    printf("%d\n", feof_unlocked(file) != 0);
    fclose(file);
    FILE *reads = fopen("given", "r"), *writes = fopen("written", "w");
    printf("%d %d %d\n", __freading(reads) != 0, __freading(writes) != 0, __freading(stdout) != 0);
    fclose(reads), fclose(writes);
    return fclose(stdout);
}
