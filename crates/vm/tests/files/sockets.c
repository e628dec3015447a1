// Sockets in one thread: what each call answers, with its error.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

static void say(const char *what, long result)
{
    printf("%s %ld %d\n", what, result, result < 0 ? errno : 0);
}

static void look(const char *what, int fd)
{
    struct pollfd one = {fd, POLLIN | POLLOUT | POLLRDHUP, 0};
    int ready = poll(&one, 1, 0);
    printf("%s: poll %d %#x\n", what, ready, one.revents);
}

static void get(int fd, int flags)
{
    char text[32] = "";
    long got = recv(fd, text, sizeof text - 1, flags | MSG_DONTWAIT);
    printf("recv %ld %d '%s'\n", got, got < 0 ? errno : 0, got > 0 ? text : "");
}

static void pairs(void)
{
    int s[2];
    say("socketpair", socketpair(AF_UNIX, SOCK_STREAM, 0, s));
    look("fresh", s[0]);
    say("send", send(s[0], "hello", 5, 0));
    say("write", write(s[0], " world", 6));
    look("data", s[1]);
    get(s[1], MSG_PEEK);
    char part[4] = "";
    say("read", read(s[1], part, 3));
    printf("%s\n", part);
    get(s[1], 0);
    get(s[1], 0);
    say("back", send(s[1], "x", 1, MSG_NOSIGNAL));
    get(s[0], 0);
    say("shutdown", shutdown(s[0], SHUT_WR));
    look("shut, own", s[0]);
    look("shut, other", s[1]);
    get(s[1], 0);
    say("send", send(s[0], "y", 1, MSG_NOSIGNAL));
    say("send", send(s[1], "z", 1, MSG_NOSIGNAL));
    say("close", close(s[1]));
    look("closed", s[0]);
    get(s[0], 0);
    get(s[0], 0);
    say("send", send(s[0], "y", 1, 0));
    close(s[0]);

    socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, s);
    printf("%#x\n", fcntl(s[0], F_GETFL));
    say("read", read(s[0], part, 1));
    send(s[0], "unread", 6, 0);
    close(s[1]);
    look("unread", s[0]);
    get(s[0], 0);
    get(s[0], 0);
    say("send", send(s[0], "y", 1, 0));
    close(s[0]);

    socketpair(AF_UNIX, SOCK_STREAM, 0, s);
    send(s[0], "unread", 6, 0);
    close(s[1]);
    say("send", send(s[0], "y", 1, 0));
    get(s[0], 0);
    say("send", send(s[0], "y", 1, 0));
    close(s[0]);

    socketpair(AF_UNIX, SOCK_DGRAM, 0, s);
    say("send", send(s[0], "one", 3, 0));
    say("send", send(s[0], "", 0, 0));
    say("send", send(s[0], "three", 5, 0));
    look("datagrams", s[1]);
    say("part", recv(s[1], part, 2, 0));
    get(s[1], 0);
    say("length", recv(s[1], part, 2, MSG_TRUNC));
    get(s[1], 0);
    close(s[1]);
    say("send", send(s[0], "y", 1, 0));
    close(s[0]);

    struct iovec out[3] = {{"ab", 2}, {"", 0}, {"cde", 3}}, in[2];
    char one[3] = "", two[9] = "";
    in[0] = (struct iovec){one, 2};
    in[1] = (struct iovec){two, 8};
    struct msghdr message = {.msg_iov = out, .msg_iovlen = 3};
    socketpair(AF_UNIX, SOCK_STREAM, 0, s);
    say("sendmsg", sendmsg(s[0], &message, 0));
    message = (struct msghdr){.msg_iov = in, .msg_iovlen = 2, .msg_flags = 77};
    say("recvmsg", recvmsg(s[1], &message, 0));
    printf("%s %s %d\n", one, two, message.msg_flags);
    close(s[0]);
    close(s[1]);
    socketpair(AF_UNIX, SOCK_DGRAM, 0, s);
    send(s[0], "long message", 12, 0);
    say("recvmsg", recvmsg(s[1], &message, 0));
    printf("%s %.8s %#x\n", one, two, message.msg_flags);
}

static void refused(void)
{
    int s[2];
    say("socketpair", socketpair(AF_INET, SOCK_STREAM, 0, s));
    say("protocol", socket(AF_INET, SOCK_STREAM, IPPROTO_UDP));
    int fd = socket(AF_INET, SOCK_STREAM, 0), unix_fd = socket(AF_UNIX, SOCK_STREAM, 0);
    look("not connected", fd);
    look("not connected", unix_fd);
    get(fd, 0);
    get(unix_fd, 0);
    say("send", send(fd, "x", 1, MSG_NOSIGNAL));
    say("send", send(unix_fd, "x", 1, MSG_NOSIGNAL));
    say("listen", listen(unix_fd, 1));
    say("accept", accept(unix_fd, 0, 0));
    say("accept", accept(fd, 0, 0));
    say("shutdown", shutdown(fd, SHUT_RDWR));
    struct sockaddr_storage any;
    socklen_t length = sizeof any;
    say("getpeername", getpeername(fd, (struct sockaddr *)&any, &length));
    say("getsockname", getsockname(unix_fd, (struct sockaddr *)&any, &length));
    printf("%d %d\n", length, any.ss_family);
    int pipe_ends[2];
    pipe(pipe_ends);
    say("no socket", send(pipe_ends[1], "x", 1, 0));
    say("no descriptor", recv(99, &any, 1, 0));
    struct sockaddr_un at = {AF_UNIX, "missing"};
    say("connect", connect(unix_fd, (struct sockaddr *)&at, sizeof at));
    close(open("plain", O_CREAT | O_WRONLY, 0600));
    strcpy(at.sun_path, "plain");
    say("connect", connect(unix_fd, (struct sockaddr *)&at, sizeof at));
    say("bind", bind(unix_fd, (struct sockaddr *)&at, sizeof at));
    say("bind", bind(fd, (struct sockaddr *)&at, sizeof at));
    struct sockaddr_in no = {AF_INET, htons(1), {htonl(0x01020304)}, {0}};
    say("bind", bind(fd, (struct sockaddr *)&no, sizeof no));
    struct stat status;
    say("fstat", fstat(fd, &status));
    printf("%o\n", status.st_mode & S_IFMT);
    say("lseek", lseek(fd, 0, SEEK_SET));
    say("ftruncate", ftruncate(fd, 0));
}

static void server(int family)
{
    printf("family %d\n", family);
    struct sockaddr_un path = {AF_UNIX, "socket"};
    struct sockaddr_in port = {AF_INET, 0, {htonl(INADDR_LOOPBACK)}, {0}};
    struct sockaddr *at = family == AF_UNIX ? (struct sockaddr *)&path : (struct sockaddr *)&port;
    socklen_t size = family == AF_UNIX ? sizeof path : sizeof port;
    int listener = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1, value = -1;
    say("setsockopt", setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on));
    socklen_t length = sizeof value;
    say("getsockopt", getsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &value, &length));
    printf("%d %d\n", value, length);
    getsockopt(listener, SOL_SOCKET, SO_TYPE, &value, &length);
    printf("%d\n", value);
    say("bind", bind(listener, at, size));
    say("bind", bind(listener, at, size));
    int other = socket(family, SOCK_STREAM, 0);
    length = size;
    say("getsockname", getsockname(listener, at, &length));
    printf("%d\n", length);
    say("taken", bind(other, at, size));
    say("connect", connect(other, at, size));
    say("listen", listen(listener, 5));
    getsockopt(listener, SOL_SOCKET, SO_ACCEPTCONN, &value, &length);
    printf("%d\n", value);
    look("listening", listener);
    fcntl(listener, F_SETFL, O_NONBLOCK);
    say("accept", accept(listener, 0, 0));
    say("connect", connect(other, at, size));
    say("connect", connect(other, at, size));
    look("waiting", listener);
    look("connected", other);
    say("send", send(other, "early", 5, 0));
    struct sockaddr_storage from;
    memset(&from, 0, sizeof from);
    length = sizeof from;
    int end = accept4(listener, (struct sockaddr *)&from, &length, SOCK_NONBLOCK);
    printf("accept %d %d %d %#x\n", end >= 0, length, from.ss_family, fcntl(end, F_GETFL));
    look("taken", listener);
    get(end, 0);
    get(end, 0);
    say("send", send(end, "answer", 6, 0));
    get(other, 0);
    length = sizeof from;
    say("getpeername", getpeername(other, (struct sockaddr *)&from, &length));
    printf("%d %d %d\n", length, from.ss_family, !memcmp(&from, at, family == AF_UNIX ? 8 : 8));
    length = sizeof from;
    say("getpeername", getpeername(end, (struct sockaddr *)&from, &length));
    printf("%d %d\n", length, from.ss_family);
    say("close", close(end));
    look("ended", other);
    get(other, 0);
    errno = 0;
    printf("first %ld\n", (long)send(other, "x", 1, MSG_NOSIGNAL) > 0);
    say("second", send(other, "x", 1, MSG_NOSIGNAL));
    get(other, 0);
    close(other);

    // Closed with bytes that nobody has read.
    other = socket(family, SOCK_STREAM, 0);
    connect(other, at, size);
    end = accept(listener, 0, 0);
    send(other, "lost", 4, 0);
    send(end, "kept", 4, 0);
    close(end);
    look("reset", other);
    get(other, 0);
    get(other, 0);
    get(other, 0);
    say("send", send(other, "x", 1, MSG_NOSIGNAL));
    close(other);

    // Half of a connection.
    other = socket(family, SOCK_STREAM, 0);
    connect(other, at, size);
    end = accept(listener, 0, 0);
    say("shutdown", shutdown(other, SHUT_WR));
    look("half", end);
    look("half", other);
    get(end, 0);
    say("send", send(end, "still", 5, 0));
    get(other, 0);
    say("shutdown", shutdown(end, SHUT_WR));
    look("none", end);
    look("none", other);
    get(other, 0);
    // Both have said that nothing more comes: with IPv4, the connection is over then.
    struct sockaddr_storage peer;
    socklen_t room = sizeof peer;
    say("getpeername", getpeername(other, (struct sockaddr *)&peer, &room));
    say("nothing", send(other, "", 0, MSG_NOSIGNAL));
    say("nothing", write(other, "", 0));
    say("shutdown", shutdown(other, SHUT_RDWR));
    say("shutdown", shutdown(end, SHUT_RD));
    close(end);
    close(other);

    // Closed before it was accepted.
    other = socket(family, SOCK_STREAM, 0);
    connect(other, at, size);
    send(other, "last", 4, 0);
    close(other);
    end = accept(listener, 0, 0);
    printf("accept %d\n", end >= 0);
    get(end, 0);
    get(end, 0);
    close(end);

    other = socket(family, SOCK_STREAM, 0);
    connect(other, at, size);
    close(listener);
    get(other, 0);
    get(other, 0);
    close(other);
    other = socket(family, SOCK_STREAM, 0);
    say("connect", connect(other, at, size));
    close(other);
}

static void datagrams(void)
{
    struct sockaddr_in at = {AF_INET, 0, {htonl(INADDR_LOOPBACK)}, {0}}, from;
    socklen_t length = sizeof at;
    int a = socket(AF_INET, SOCK_DGRAM, 0), b = socket(AF_INET, SOCK_DGRAM, 0);
    say("bind", bind(a, (struct sockaddr *)&at, sizeof at));
    getsockname(a, (struct sockaddr *)&at, &length);
    look("fresh", a);
    say("send", send(b, "x", 1, 0));
    say("sendto", sendto(b, "one", 3, 0, (struct sockaddr *)&at, sizeof at));
    say("sendto", sendto(b, "", 0, 0, (struct sockaddr *)&at, sizeof at));
    look("two", a);
    char text[8] = "";
    length = sizeof from;
    say("recvfrom", recvfrom(a, text, 8, 0, (struct sockaddr *)&from, &length));
    printf("%s %d %d\n", text, length, from.sin_family);
    say("recvfrom", recvfrom(a, text, 8, 0, 0, 0));
    say("answer", sendto(a, "back", 4, 0, (struct sockaddr *)&from, length));
    get(b, 0);
    say("connect", connect(b, (struct sockaddr *)&at, sizeof at));
    say("send", send(b, "connected", 9, 0));
    get(a, 0);
    get(a, 0);
    say("listen", listen(a, 1));
    say("accept", accept(a, 0, 0));
    close(a);
    say("send", send(b, "x", 1, 0));
    say("send", send(b, "x", 1, 0));
    get(b, 0);

    struct sockaddr_un path = {AF_UNIX, "datagrams"};
    int c = socket(AF_UNIX, SOCK_DGRAM, 0), d = socket(AF_UNIX, SOCK_DGRAM, 0);
    say("bind", bind(c, (struct sockaddr *)&path, sizeof path));
    say("sendto", sendto(d, "hi", 2, 0, (struct sockaddr *)&path, sizeof path));
    struct sockaddr_un who;
    length = sizeof who;
    say("recvfrom", recvfrom(c, text, 8, 0, (struct sockaddr *)&who, &length));
    printf("%.2s %d\n", text, length);
    say("unlink", unlink("datagrams"));
    say("sendto", sendto(d, "hi", 2, 0, (struct sockaddr *)&path, sizeof path));
    int e = socket(AF_UNIX, SOCK_STREAM, 0), f = socket(AF_UNIX, SOCK_DGRAM, 0);
    strcpy(path.sun_path, "stream");
    bind(e, (struct sockaddr *)&path, sizeof path);
    say("type", sendto(f, "hi", 2, 0, (struct sockaddr *)&path, sizeof path));
    say("open", open("stream", O_RDWR));
    struct sockaddr_un abstract = {AF_UNIX, "\0name"};
    socklen_t exact = offsetof(struct sockaddr_un, sun_path) + 5;
    say("bind", bind(f, (struct sockaddr *)&abstract, exact));
    int g = socket(AF_UNIX, SOCK_DGRAM, 0);
    say("taken", bind(g, (struct sockaddr *)&abstract, exact));
    say("sendto", sendto(g, "abs", 3, 0, (struct sockaddr *)&abstract, exact));
    get(f, 0);
}

// Options that change when packets are sent, and nothing that a program sees.
static void hints(int family, int type)
{
    static const int names[] = {TCP_CORK, TCP_KEEPIDLE, TCP_KEEPINTVL, TCP_KEEPCNT, TCP_QUICKACK, TCP_USER_TIMEOUT};
    int fd = socket(family, type, 0), one = 1, none = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    {
        say("one", setsockopt(fd, IPPROTO_TCP, names[i], &one, sizeof one));
        say("none", setsockopt(fd, IPPROTO_TCP, names[i], &none, sizeof none));
    }
    close(fd);
}

// Nothing at all, with write and with send.
static void nothing(int type)
{
    int s[2];
    char buffer[4];
    socketpair(AF_UNIX, type, 0, s);
    say("write", write(s[0], "", 0));
    say("send", send(s[0], "", 0, 0));
    say("send", send(s[0], "ab", 2, 0));
    for (int i = 0; i < 3; i++)
        say("recv", recv(s[1], buffer, sizeof buffer, MSG_DONTWAIT));
    say("read", read(s[1], buffer, 0));
    send(s[1], "lost", 4, 0);
    close(s[1]);
    say("write", write(s[0], "", 0));
    say("send", send(s[0], "", 0, MSG_NOSIGNAL));
    say("recv", recv(s[0], buffer, sizeof buffer, MSG_DONTWAIT));
    close(s[0]);
}

static void texts(void)
{
    const char *all[] = {"1.2.3.4", "255.255.255.255", "256.1.1.1", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.4 ", "", "0.0.0.0"};
    for (int i = 0; i < 9; i++)
    {
        struct in_addr a = {0};
        int r = inet_pton(AF_INET, all[i], &a);
        char out[16] = "";
        printf("%d %#x %s\n", r, ntohl(a.s_addr), inet_ntop(AF_INET, &a, out, sizeof out));
    }
    char small[8];
    struct in_addr a = {htonl(0x7f000001)};
    printf("%d", inet_ntop(AF_INET, &a, small, sizeof small) == 0);
    printf(" %d %s %#x %#x\n", errno, inet_ntoa(a), htons(0x1234), htonl(0x12345678));
    struct addrinfo hints = {.ai_flags = AI_PASSIVE, .ai_family = AF_INET, .ai_socktype = SOCK_STREAM}, *list = 0;
    printf("%d\n", getaddrinfo(0, "8080", &hints, &list));
    struct sockaddr_in *in = (struct sockaddr_in *)list->ai_addr;
    printf("%d %d %d %d %#x %d\n", list->ai_family, list->ai_socktype, list->ai_protocol, list->ai_addrlen, ntohl(in->sin_addr.s_addr), ntohs(in->sin_port));
    printf("%d\n", list->ai_next == 0);
    freeaddrinfo(list);
    hints = (struct addrinfo){.ai_flags = AI_NUMERICHOST, .ai_family = AF_INET};
    printf("%d\n", getaddrinfo("127.0.0.1", "80", &hints, &list));
    for (struct addrinfo *i = list; i; i = i->ai_next)
        printf("%d %d\n", i->ai_socktype, i->ai_protocol);
    freeaddrinfo(list);
    printf("%d\n", getaddrinfo("name", "80", &hints, &list));
    printf("%s\n", gai_strerror(EAI_NONAME));
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    pairs();
    refused();
    server(AF_UNIX);
    server(AF_INET);
    datagrams();
    hints(AF_INET, SOCK_STREAM);
    hints(AF_INET, SOCK_DGRAM);
    hints(AF_UNIX, SOCK_STREAM);
    nothing(SOCK_STREAM);
    nothing(SOCK_DGRAM);
    texts();
    return 0;
}
