// Streams in memory, and streams that get another file.
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void show(const char *bytes, int count)
{
    for (int i = 0; i < count; i++)
        putchar(bytes[i] ? bytes[i] : '0');
    putchar('\n');
}

static void growing(void)
{
    char *text = NULL;
    size_t size = 77;
    FILE *stream = open_memstream(&text, &size);
    printf("%d\n", fflush(stream));
    printf("%s %zu\n", text, size);
    printf("%d\n", fprintf(stream, "%s %d", "hello", 5));
    fflush(stream);
    char *before = text;
    printf("%s %zu\n", text, size);
    fflush(stream);
    printf("%d\n", text == before);
    printf("%d %ld\n", fseek(stream, 1, SEEK_SET), ftell(stream));
    fflush(stream);
    printf("%s %zu\n", text, size);
    fputc('X', stream);
    fflush(stream);
    printf("%s %zu %ld\n", text, size, ftell(stream));
    fseek(stream, 10, SEEK_SET);
    fputs("end", stream);
    fflush(stream);
    show(text, (int)size + 1);
    int failed = fseek(stream, -1, SEEK_SET);
    printf("%d %d %d\n", failed, errno, fileno(stream));
    for (int i = 0; i < 3000; i++)
        fprintf(stream, "%d,", i);
    printf("%d\n", fclose(stream));
    printf("%zu %zu %s\n", size, strlen(text + 10), text + size - 10);
    free(text);
    stream = open_memstream(&text, &size);
    fwrite("a\0b", 1, 3, stream);
    printf("%d\n", fclose(stream));
    show(text, (int)size + 1);
    free(text);
}

static void lent(void)
{
    static const char *const modes[] = {"w", "w+", "a", "a+", "r+", "r", "wb", "rb+"};
    for (int mode = 0; mode < 8; mode++)
        for (int ends = 0; ends < 2; ends++) {
            char bytes[16];
            memset(bytes, 'X', 16);
            if (ends)
                bytes[4] = 0;
            FILE *stream = fmemopen(bytes, 16, modes[mode]);
            printf("%s %ld", modes[mode], ftell(stream));
            fseek(stream, 0, SEEK_END);
            printf(" %ld", ftell(stream));
            fseek(stream, 0, SEEK_SET);
            int put = fputs("ab", stream);
            int flushed = fflush(stream);
            printf(" %d %d %ld ", put < 0, flushed, flushed ? -1 : ftell(stream));
            show(bytes, 16);
            put = fputs("0123456789abcdefgh", stream);
            flushed = fflush(stream);
            printf("%d %d %d ", put < 0, flushed, ferror(stream) != 0);
            show(bytes, 16);
            int closed = fclose(stream);
            printf("%d\n", closed);
        }
    char lines[] = "first\nsecond 42\nthird", line[20];
    FILE *stream = fmemopen(lines, sizeof lines - 1, "r");
    char *got = fgets(line, sizeof line, stream);
    printf("%d %s", got == line, line);
    int number = 0;
    printf("%d", fscanf(stream, "%19s %d\n", line, &number));
    printf(" %s %d\n", line, number);
    printf("%d ", fgetc(stream));
    printf("%d ", ungetc('T', stream));
    got = fgets_unlocked(line, sizeof line, stream);
    printf("%d %s\n", got == line, line);
    printf("%d %d\n", fgetc(stream), feof(stream) != 0);
    rewind(stream);
    printf("%c %d %d\n", fgetc(stream), fseek(stream, 30, SEEK_SET), errno);
    fclose(stream);
    stream = fmemopen(NULL, 10, "w+");
    fputs("own", stream);
    rewind(stream);
    printf("%s\n", fgets(line, sizeof line, stream));
    fclose(stream);
    errno = 0;
    stream = fmemopen(lines, 3, "q");
    printf("%d %d\n", stream == NULL, errno);
}

static void reopened(void)
{
    char line[20];
    FILE *stream = fopen("one", "w");
    int fd = fileno(stream);
    fputs("text of one\n", stream);
    printf("%d\n", freopen("two", "w+", stream) == stream);
    printf("%d\n", fileno(stream) == fd);
    fputs("text of two\n", stream);
    rewind(stream);
    printf("%s", fgets(line, sizeof line, stream));
    printf("%d\n", freopen("one", "r", stream) == stream);
    printf("%s", fgets(line, sizeof line, stream));
    printf("%d %d\n", fgetc(stream), feof(stream) != 0);
    printf("%d\n", freopen("one", "a", stream) == stream);
    printf("%d\n", feof(stream) != 0);
    fputs("more\n", stream);
    printf("%d\n", freopen("one", "r", stream) == stream);
    printf("%s", fgets(line, sizeof line, stream));
    printf("%s", fgets(line, sizeof line, stream));
    errno = 0;
    FILE *none = freopen("none/such", "r", stream);
    printf("%d %d\n", none == NULL, errno);
    printf("%d\n", (int)write(fd, "x", 1));
    printf("%d\n", freopen("/dev/null", "r", stdin) == stdin);
    printf("%d %d\n", getchar(), fileno(stdin));
    printf("%d\n", freopen("two", "r", stdin) == stdin);
    printf("%s", fgets(line, sizeof line, stdin));
}

int main(void)
{
    growing();
    lent();
    reopened();
}
