// There are no terminals: what is for them fails with ENOTTY, or EBADF. Of a structure with the properties of one, the speeds can be
// read and set all the same.
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

char *ttyname(int fd)
{
    (void)isatty(fd);
    return NULL;
}

int ttyname_r(int fd, char *name, size_t room)
{
    int before = errno;
    (void)name;
    if (room < sizeof "/dev/pts/")
        return ERANGE;
    (void)isatty(fd);
    int error = errno; // EBADF, or ENOTTY
    errno = before;
    return error;
}

// -1, with the error that isatty has found.
static int none(int fd)
{
    (void)isatty(fd);
    return -1;
}

static int invalid(void)
{
    errno = EINVAL;
    return -1;
}

int tcgetattr(int fd, struct termios *to) { return (void)to, none(fd); }

int tcsetattr(int fd, int when, const struct termios *wanted)
{
    (void)wanted;
    return when == TCSANOW || when == TCSADRAIN || when == TCSAFLUSH ? none(fd) : invalid();
}

int tcdrain(int fd) { return none(fd); }
int tcflow(int fd, int action) { return (void)action, none(fd); }
int tcflush(int fd, int queue) { return (void)queue, none(fd); }
int tcsendbreak(int fd, int duration) { return (void)duration, none(fd); }
int tcgetwinsize(int fd, struct winsize *to) { return (void)to, none(fd); }
int tcsetwinsize(int fd, const struct winsize *wanted) { return (void)wanted, none(fd); }
pid_t tcgetsid(int fd) { return none(fd); }
pid_t tcgetpgrp(int fd) { return none(fd); }
int tcsetpgrp(int fd, pid_t group) { return (void)group, none(fd); }

speed_t cfgetospeed(const struct termios *of) { return of->c_cflag & (CBAUD | CBAUDEX); }

speed_t cfgetispeed(const struct termios *of) { return of->c_iflag & 1u << 31 ? 0 : of->c_cflag & (CBAUD | CBAUDEX); }

static int is_speed(speed_t speed) { return !(speed & ~CBAUD) || (speed >= B57600 && speed <= B4000000); }

int cfsetospeed(struct termios *of, speed_t speed)
{
    if (!is_speed(speed))
        return invalid();
    of->c_cflag = (of->c_cflag & ~(tcflag_t)(CBAUD | CBAUDEX)) | speed;
    of->c_ospeed = speed;
    return 0;
}

int cfsetispeed(struct termios *of, speed_t speed)
{
    if (!is_speed(speed))
        return invalid();
    of->c_ispeed = speed;
    of->c_iflag &= ~(1u << 31);
    if (speed == 0)
        of->c_iflag |= 1u << 31;
    else
        of->c_cflag = (of->c_cflag & ~(tcflag_t)(CBAUD | CBAUDEX)) | speed;
    return 0;
}

void cfmakeraw(struct termios *of)
{
    of->c_iflag &= ~(tcflag_t)(IGNBRK | BRKINT | PARMRK | ISTRIP | INLCR | IGNCR | ICRNL | IXON);
    of->c_oflag &= ~(tcflag_t)OPOST;
    of->c_lflag &= ~(tcflag_t)(ECHO | ECHONL | ICANON | ISIG | IEXTEN);
    of->c_cflag &= ~(tcflag_t)(CSIZE | PARENB);
    of->c_cflag |= CS8;
    of->c_cc[VMIN] = 1;
    of->c_cc[VTIME] = 0;
}

char *ctermid(char *to)
{
    static char name[] = "/dev/tty";
    return to ? strcpy(to, name) : name;
}
