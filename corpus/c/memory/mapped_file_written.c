// A file that was mapped for reading is written there.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void)
{
    int fd = open("file", O_RDWR | O_CREAT, 0600);
    write(fd, "text", 4);
    char *text = mmap(0, 4, PROT_READ, MAP_PRIVATE, fd, 0);
    text[0] = 'T'; // expect: memory.write-to-constant
    return 0;
}
