// With AF_UNIX, what is accepted does not have the time-out of the listening socket: nobody sends, and main waits for ever.
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

int main(void)
{
    struct timeval two = {2, 0};
    struct sockaddr_un at = {AF_UNIX, "socket"};
    char c;
    int listener = socket(AF_UNIX, SOCK_STREAM, 0), client = socket(AF_UNIX, SOCK_STREAM, 0);
    setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &two, sizeof two);
    bind(listener, (struct sockaddr *)&at, sizeof at);
    listen(listener, 1);
    connect(client, (struct sockaddr *)&at, sizeof at);
    recv(accept(listener, 0, 0), &c, 1, 0); // expect: deadlock
    return 0;
}
