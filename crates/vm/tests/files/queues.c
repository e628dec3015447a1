// Message queues, locks of files, sendfile, priorities: random calls in one thread.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static unsigned seed = 7;
static unsigned next(unsigned n)
{
    seed = seed * 1103515245u + 12345u;
    return (seed >> 16) % n;
}

static char names[3][40];
static mqd_t all[4] = {-1, -1, -1, -1};

static void said(const char *what, long result) { printf("%s %ld %s\n", what, result, result < 0 ? strerror(errno) : ""); }

static void random_call(void)
{
    int at = (int)next(4);
    const char *name = names[next(3)];
    char text[64];
    unsigned priority = 99;
    struct mq_attr attr;
    struct timespec past = {1, next(8) ? 0 : 1000000000}, future = {4000000000, 0};
    long result;
    switch (next(12))
    {
    case 0: case 1: {
        static const int access[] = {O_RDWR, O_RDONLY, O_WRONLY};
        int flags = (next(3) ? O_CREAT : 0) | (next(4) ? 0 : O_EXCL) | access[next(8) < 6 ? 0 : 1 + next(2)] | O_NONBLOCK;
        memset(&attr, 0, sizeof attr);
        attr.mq_maxmsg = next(6) ? 1 + next(3) : next(2) * 3 - 1;
        attr.mq_msgsize = next(6) ? 8 + next(20) : 0;
        if (all[at] >= 0)
            mq_close(all[at]);
        all[at] = mq_open(next(20) ? name : next(2) ? "noslash" : "/a/b", flags, 0600, &attr);
        said("open", all[at] < 0 ? -1 : 0);
        break;
    }
    case 2: case 3: case 4: case 5:
        result = sprintf(text, "text %u", next(100));
        said("send", mq_send(all[at], text, next(9) ? result : 60, next(20) ? next(4) : 32768));
        break;
    case 6: case 7: case 8:
        memset(text, 0, sizeof text);
        result = mq_receive(all[at], text, next(9) ? sizeof text : 4, &priority);
        said("receive", result);
        if (result >= 0)
            printf("%s %u\n", text, priority);
        break;
    case 9: said("unlink", mq_unlink(name)); break;
    case 10:
        result = mq_getattr(all[at], &attr);
        said("getattr", result);
        if (!result)
            printf("%ld %ld %ld %ld\n", attr.mq_flags, attr.mq_maxmsg, attr.mq_msgsize, attr.mq_curmsgs);
        break;
    case 11:
        memset(&attr, 0, sizeof attr);
        said("setattr", mq_setattr(all[at], &attr, NULL));
        said("timed", mq_timedreceive(all[at], text, sizeof text, NULL, &past));
        if (!mq_getattr(all[at], &attr) && attr.mq_curmsgs < attr.mq_maxmsg)
            said("timed", mq_timedsend(all[at], "x", 1, 0, &future));
        attr.mq_flags = O_NONBLOCK;
        said("setattr", mq_setattr(all[at], &attr, NULL));
    }
}

static void file_locks(void)
{
    struct flock lock = {F_RDLCK, SEEK_SET, 0, 10};
    int both = open("given", O_RDWR), reads = open("given", O_RDONLY);
    for (int command = -1; command < 5; command++)
    {
        said("lockf", lockf(both, command, 5));
        said("lockf", lockf(reads, command, 5));
        said("lockf", lockf(99, command, 5));
    }
    for (lock.l_type = 0; lock.l_type < 4; lock.l_type++)
    {
        said("setlk", fcntl(both, F_SETLK, &lock));
        said("setlk", fcntl(reads, F_SETLKW, &lock));
        said("setlk", fcntl(99, F_SETLK, &lock));
    }
    close(both);
    close(reads);
}

static void copies(void)
{
    int in = open("given", O_RDONLY), out = open("copy", O_RDWR | O_CREAT, 0600), ends[2], sockets[2];
    char text[32] = "";
    off_t at = 2;
    said("sendfile", sendfile(out, in, &at, 3));
    said("sendfile", sendfile(out, in, NULL, 100));
    said("sendfile", sendfile(out, in, NULL, 100));
    said("sendfile", at);
    said("read", pread(out, text, sizeof text, 0));
    puts(text);
    pipe(ends);
    socketpair(AF_UNIX, SOCK_STREAM, 0, sockets);
    at = 0;
    said("sendfile", sendfile(ends[1], in, &at, 4));
    said("sendfile", sendfile(sockets[0], in, &at, 9));
    said("sendfile", sendfile(out, ends[0], NULL, 4));
    said("sendfile", sendfile(in, in, NULL, 4));
    said("sendfile", sendfile(99, in, NULL, 4));
    at = -1;
    said("sendfile", sendfile(out, in, &at, 4));
    said("read", read(sockets[1], text, sizeof text));
    said("read", read(ends[0], text, sizeof text));
}

int main(void)
{
    for (int i = 0; i < 3; i++)
        sprintf(names[i], "/selvedge-test-%d-%d", (int)getpid(), i);
    file_locks();
    copies();
    for (int i = 0; i < 1500; i++)
        random_call();
    for (int i = 0; i < 3; i++)
        mq_unlink(names[i]);
    // The native process may have been started as a nice one. Nobody is nicer than 19.
    if (getpriority(PRIO_PROCESS, 0) > 14)
        setpriority(PRIO_PROCESS, 0, 0);
    int before = getpriority(PRIO_PROCESS, 0);
    said("setpriority", setpriority(PRIO_PROCESS, 0, before + 3));
    said("getpriority", getpriority(PRIO_PROCESS, getpid()) - before);
    said("nice", nice(2) - before);
    said("getpriority", getpriority(PRIO_PROCESS, 0) - before);
    said("setpriority", setpriority(PRIO_PROCESS, 0, 50));
    said("getpriority", getpriority(PRIO_PROCESS, 0));
    said("getpriority", getpriority(9, 0));
}
