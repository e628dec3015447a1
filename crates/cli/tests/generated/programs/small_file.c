// A file of two bytes: a version and a length.
// options: --symbolic-file config:2
// cases: 4
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    unsigned char bytes[4];
    int file = open("config", O_RDONLY);
    if (file < 0)
        return 9;
    long size = read(file, bytes, sizeof bytes);
    close(file);
    if (size != 2)
        return 8;
    if (bytes[0] != 1)
        return 1;
    if (bytes[1] > 100) {
        puts("too long");
        return 2;
    }
    if (bytes[1] == 0)
        return 3;
    printf("%u\n", bytes[1]);
    return 0;
}
