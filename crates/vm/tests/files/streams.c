// Streams. The standard input holds "first line\nsecond\n"; the file `given` holds "abcdef".
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void say(const char *what, long result)
{
    if (result < 0)
        printf("%s: %ld (%s)\n", what, result, strerror(errno));
    else
        printf("%s: %ld\n", what, result);
}

static void state(const char *what, FILE *f) { printf("%s: end %d error %d at %ld\n", what, !!feof(f), !!ferror(f), ftell(f)); }

static int print(FILE *f, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int written = vfprintf(f, format, list);
    va_end(list);
    return written;
}

static void reading(void)
{
    char text[20];
    printf("missing %d\n", fopen("missing", "r") == NULL);
    printf("%s\n", strerror(errno));
    printf("bad mode %d\n", fopen("given", "z") == NULL);
    FILE *f = fopen("given", "r");
    say("fgetc", fgetc(f));
    say("getc", getc(f));
    state("two", f);
    say("ungetc", ungetc('X', f));
    say("ungetc", ungetc('Y', f));
    say("fgetc", fgetc(f));
    say("fgetc", fgetc(f));
    say("ungetc EOF", ungetc(EOF, f));
    say("fread", fread(text, 1, 3, f));
    printf("%.3s\n", text);
    state("five", f);
    say("fread", fread(text, 1, 3, f));
    state("end", f);
    say("fgetc", fgetc(f));
    say("ungetc", ungetc('Z', f));
    state("no end", f);
    say("fgetc", fgetc(f));
    say("fgetc", fgetc(f));
    clearerr(f);
    state("cleared", f);
    rewind(f);
    state("rewound", f);
    printf("%s\n", fgets(text, 4, f));
    printf("%s\n", fgets(text, sizeof text, f));
    printf("%d\n", fgets(text, sizeof text, f) == NULL);
    say("fseek", fseek(f, -2, SEEK_END));
    say("fgetc", fgetc(f));
    say("fseek", fseek(f, -3, SEEK_CUR));
    say("fgetc", fgetc(f));
    say("fseek before", fseek(f, -30, SEEK_CUR));
    say("fputc", fputc('x', f));
    state("error", f);
    say("fread of pieces", (rewind(f), fread(text, 4, 3, f)));
    fpos_t place;
    rewind(f);
    fgetc(f);
    fgetpos(f, &place);
    fgetc(f);
    fsetpos(f, &place);
    say("fgetpos", fgetc(f));
    say("fileno", fileno(f));
    say("fclose", fclose(f));

    f = fopen("given", "r");
    setvbuf(f, NULL, _IONBF, 0);
    fgetc(f);
    say("unbuffered", lseek(fileno(f), 0, SEEK_CUR));
    fclose(f);
    f = fopen("given", "r");
    fgetc(f);
    say("buffered", lseek(fileno(f), 0, SEEK_CUR));
    say("fflush", fflush(f));
    say("given back", lseek(fileno(f), 0, SEEK_CUR));
    say("goes on", fgetc(f));
    fclose(f);
}

static void writing(void)
{
    char text[40];
    struct { int a; char b; } record = {7, 'r'}, other;
    FILE *f = fopen("made", "w+");
    say("fputs", fputs("hello ", f) >= 0);
    say("fputc", fputc('w', f));
    say("putc", putc('o', f));
    say("fwrite", fwrite("rld\n", 1, 4, f));
    say("fprintf", fprintf(f, "%d and %s\n", 42, "text"));
    say("vfprintf", print(f, "%s %d %s %d %s\n", "a", 1, "b", 2, "c"));
    state("written", f);
    int fd = open("made", O_RDONLY);
    say("not flushed", read(fd, text, sizeof text));
    say("fflush", fflush(f));
    say("flushed", read(fd, text, 12));
    printf("%.12s", text);
    say("fseek", fseek(f, 0, SEEK_SET));
    while (fgets(text, sizeof text, f))
        printf("line: %s", text);
    say("at the end", feof(f) != 0);
    say("fseek", fseek(f, 6, SEEK_SET));
    fputs("W", f);
    say("fseek", fseek(f, 0, SEEK_SET));
    printf("%s", fgets(text, sizeof text, f));
    fclose(f);
    f = fopen("made", "a");
    fputs("appended\n", f);
    state("appended", f);
    fclose(f);
    f = fopen("made", "r+");
    fseek(f, 0, SEEK_END);
    fwrite(&record, sizeof record, 1, f);
    fseek(f, -(long)sizeof record, SEEK_CUR);
    say("record", fread(&other, sizeof other, 1, f));
    printf("%d %c\n", other.a, other.b);
    say("write only", (fclose(f), f = fopen("made", "w"), fgetc(f)));
    state("error", f);
    fclose(f);
    lseek(fd, 0, SEEK_SET);
    say("emptied", read(fd, text, 1));
    close(fd);
    printf("exclusive %d\n", fopen("made", "wx") == NULL);

    f = fopen("lines", "w");
    setvbuf(f, NULL, _IOLBF, 0);
    fd = open("lines", O_RDONLY);
    fputs("no line yet", f);
    say("none", read(fd, text, sizeof text));
    fputs(", now\nthere", f);
    say("one", read(fd, text, sizeof text));
    setvbuf(f, NULL, _IONBF, 0);
    fclose(f);
    say("rest", read(fd, text, sizeof text));
    close(fd);
    f = fopen("large", "w");
    for (int i = 0; i < 3000; i++)
        fprintf(f, "%d\n", i);
    fclose(f);
    f = fopen("large", "r");
    long sum = 0;
    int n;
    while (fscanf(f, "%d", &n) == 1)
        sum += n;
    say("sum", sum);
    fclose(f);
    say("remove", remove("large"));
    say("remove", remove("large"));
}

static void lines(void)
{
    char *line = NULL;
    size_t size = 0;
    FILE *f = fopen("made", "w+");
    for (int i = 0; i < 300; i++)
        fputc('a' + i % 26, f);
    fputs("\nshort\nno end", f);
    rewind(f);
    ssize_t n;
    while ((n = getline(&line, &size, f)) >= 0)
        printf("%zd of %zu: %.10s\n", n, size, line);
    printf("%d\n", feof(f));
    rewind(f);
    n = getdelim(&line, &size, 'c', f);
    printf("%zd %s\n", n, line);
    free(line);
    fclose(f);
}

static void on_pipes(void)
{
    int ends[2];
    char text[20];
    pipe(ends);
    FILE *out = fdopen(ends[1], "w"), *in = fdopen(ends[0], "r");
    printf("wrong %d\n", fdopen(ends[0], "w") == NULL);
    fprintf(out, "one %d\ntwo\n", 1);
    fflush(out);
    printf("%s", fgets(text, sizeof text, in));
    fclose(out);
    printf("%s", fgets(text, sizeof text, in));
    printf("%d %d\n", fgets(text, sizeof text, in) == NULL, feof(in));
    say("fseek", fseek(in, 0, SEEK_SET));
    fclose(in);
    say("both closed", close(ends[0]));
}

int main(void)
{
    char text[30], word[10];
    int c = getchar();
    printf("%c\n", c);
    ungetc(c, stdin);
    printf("%s", fgets(text, sizeof text, stdin));
    printf("%d %s\n", scanf("%9s", word), word);
    printf("%d\n", getchar());
    printf("%d\n", getchar());
    printf("%d\n", feof(stdin));
    printf("%d\n", fileno(stdin));
    reading();
    writing();
    lines();
    on_pipes();
    flockfile(stdin);
    printf("%d\n", getc_unlocked(stdin));
    funlockfile(stdin);
    return fflush(NULL);
}
