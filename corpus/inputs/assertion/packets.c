// options: --symbolic-packet 1
// A client sends a byte, of any value.
#include <assert.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(7)};
    bind(fd, (struct sockaddr *)&address, sizeof address);
    listen(fd, 1);
    for (int i = 0; i < 1; i++)
    {
        char c;
        int connection = accept(fd, NULL, NULL);
        assert(connection >= 0);
        assert(recv(connection, &c, 1, 0) == 1);
        assert(c != 0x7f); // expect: assertion
        if (c == 'x')
            send(connection, &c, 1, 0);
        close(connection);
    }
    close(fd);
    return 0;
}
