// Reading of characters and lines. On top of fread and __selvedge_unread, which copy bytes and know nothing of them.
//
// A stream is locked for the whole of a line, as POSIX demands; taking it again by the same thread is no scheduling point.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>

#undef getc
#undef getchar
#undef getc_unlocked
#undef getchar_unlocked
#undef fgetc_unlocked

// Puts a byte back in front of a stream; 0, or -1 if there is no room.
int __selvedge_unread(const unsigned char *byte, FILE *stream);
size_t fread_unlocked(void *to, size_t size, size_t count, FILE *stream);

int fgetc(FILE *stream)
{
    unsigned char byte;
    return fread(&byte, 1, 1, stream) == 1 ? byte : EOF;
}

int getc(FILE *stream) { return fgetc(stream); }
int _IO_getc(FILE *stream) { return fgetc(stream); }
int getchar(void) { return fgetc(stdin); }

int fgetc_unlocked(FILE *stream)
{
    unsigned char byte;
    return fread_unlocked(&byte, 1, 1, stream) == 1 ? byte : EOF;
}

int getc_unlocked(FILE *stream) { return fgetc_unlocked(stream); }
int getchar_unlocked(void) { return fgetc_unlocked(stdin); }

#undef fgets_unlocked
char *fgets_unlocked(char *line, int size, FILE *stream)
{
    int used = 0, c = 0;
    if (size <= 0)
        return NULL;
    while (used < size - 1 && (c = fgetc_unlocked(stream)) != EOF) {
        line[used++] = (char)c;
        if (c == '\n')
            break;
    }
    if (c == EOF && (used == 0 || !feof(stream)))
        return NULL;
    line[used] = 0;
    return line;
}

int ungetc(int c, FILE *stream)
{
    unsigned char byte = (unsigned char)c;
    if (c == EOF)
        return EOF;
    return __selvedge_unread(&byte, stream) == 0 ? byte : EOF;
}

#undef fileno_unlocked
int fileno_unlocked(FILE *stream) { return fileno(stream); }

char *fgets(char *line, int size, FILE *stream)
{
    int used = 0, c = 0;
    if (size <= 0)
        return NULL;
    flockfile(stream);
    while (used < size - 1 && (c = fgetc(stream)) != EOF) {
        line[used++] = (char)c;
        if (c == '\n')
            break;
    }
    int nothing = c == EOF && (used == 0 || !feof(stream));
    funlockfile(stream);
    if (nothing)
        return NULL;
    line[used] = 0;
    return line;
}

// Grows the program's buffer as glibc does: to 120 bytes at first, then to twice as many or to what the line needs. (glibc does so
// for each block that it reads; here it is once a line.)
ssize_t getdelim(char **line, size_t *size, int end, FILE *stream)
{
    size_t used = 0, room = 120;
    int c;
    if (!line || !size) {
        errno = EINVAL;
        return -1;
    }
    char *text = malloc(room);
    flockfile(stream);
    while ((c = fgetc(stream)) != EOF) {
        if (used == room)
            text = realloc(text, room *= 2);
        text[used++] = (char)c;
        if (c == end)
            break;
    }
    int nothing = c == EOF && (used == 0 || !feof(stream));
    funlockfile(stream);
    if (!*line || *size == 0)
        *line = realloc(*line, *size = 120);
    if (!nothing) {
        if (used + 1 > *size)
            *line = realloc(*line, *size = used + 1 > 2 * *size ? used + 1 : 2 * *size);
        for (size_t i = 0; i < used; i++)
            (*line)[i] = text[i];
        (*line)[used] = 0;
    }
    free(text);
    return nothing ? -1 : (ssize_t)used;
}

ssize_t __getdelim(char **line, size_t *size, int end, FILE *stream) { return getdelim(line, size, end, stream); }
ssize_t getline(char **line, size_t *size, FILE *stream) { return getdelim(line, size, '\n', stream); }

int fgetpos(FILE *stream, fpos_t *position)
{
    long at = ftell(stream);
    if (at < 0)
        return -1;
    position->__pos = at;
    return 0;
}

int fsetpos(FILE *stream, const fpos_t *position) { return fseek(stream, position->__pos, SEEK_SET); }
