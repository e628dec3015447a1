// Who the process is: the user and group 1000, without privileges, in a process group and a session of its own; the host is
// "localhost". The process's number is the machine's.
#define _GNU_SOURCE
#include <errno.h>
#include <grp.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

void __selvedge_unsupported(const char *what);

static int refused(int error)
{
    errno = error;
    return -1;
}

// An id that stays as it is: the process may take no other. -1 stands for the present one.
static int stays(unsigned wanted, unsigned now) { return wanted == now || wanted == (unsigned)-1 ? 0 : refused(EPERM); }

int setuid(uid_t user) { return user == (uid_t)-1 ? refused(EINVAL) : stays(user, getuid()); }
int seteuid(uid_t user) { return user == (uid_t)-1 ? refused(EINVAL) : stays(user, getuid()); }
int setgid(gid_t group) { return group == (gid_t)-1 ? refused(EINVAL) : stays(group, getgid()); }
int setegid(gid_t group) { return group == (gid_t)-1 ? refused(EINVAL) : stays(group, getgid()); }
int setreuid(uid_t real, uid_t effective) { return stays(real, getuid()) || stays(effective, getuid()) ? -1 : 0; }
int setregid(gid_t real, gid_t effective) { return stays(real, getgid()) || stays(effective, getgid()) ? -1 : 0; }

int setresuid(uid_t real, uid_t effective, uid_t saved)
{
    return setreuid(real, effective) || stays(saved, getuid()) ? -1 : 0;
}

int setresgid(gid_t real, gid_t effective, gid_t saved)
{
    return setregid(real, effective) || stays(saved, getgid()) ? -1 : 0;
}

int getresuid(uid_t *real, uid_t *effective, uid_t *saved)
{
    *real = *effective = *saved = getuid();
    return 0;
}

int getresgid(gid_t *real, gid_t *effective, gid_t *saved)
{
    *real = *effective = *saved = getgid();
    return 0;
}

int getgroups(int room, gid_t *groups)
{
    if (room < 0)
        return refused(EINVAL);
    if (room > 0)
        groups[0] = getgid();
    return 1;
}

// For those with privileges.
int setgroups(size_t count, const gid_t *groups)
{
    (void)count;
    (void)groups;
    return refused(EPERM);
}

int initgroups(const char *user, gid_t group)
{
    (void)user;
    (void)group;
    return refused(EPERM);
}

static pid_t of(pid_t process, const char *what)
{
    if (process != 0 && process != getpid())
        __selvedge_unsupported(what);
    return getpid();
}

pid_t getpgrp(void) { return getpid(); }
pid_t getpgid(pid_t process) { return of(process, "the group of another process"); }
pid_t getsid(pid_t process) { return of(process, "the session of another process"); }

// It is refused to the leader of a group. Whether the process is one depends on who has started it.
pid_t setsid(void)
{
    __selvedge_unsupported("a new session");
    return refused(EPERM);
}

// It leads a session, so it stays in its group. As for setsid, who has started it may have arranged that otherwise.
int setpgid(pid_t process, pid_t group)
{
    if (group < 0)
        return refused(EINVAL);
    if (process != 0 && process != getpid())
        return refused(ESRCH);
    __selvedge_unsupported("a change of the process group");
    return refused(EPERM);
}

int setpgrp(void) { return setpgid(0, 0); }

// Nobody has logged in where there is no terminal.
char *getlogin(void)
{
    errno = ENXIO;
    return NULL;
}

int getlogin_r(char *to, size_t room)
{
    (void)to, (void)room;
    errno = ENXIO;
    return ENXIO;
}

// Made of the address of the host, 127.0.0.1.
long gethostid(void) { return 0x007f0100; }

int gethostname(char *to, size_t room)
{
    static const char name[] = "localhost";
    memcpy(to, name, room < sizeof name ? room : sizeof name);
    return room < sizeof name ? refused(ENAMETOOLONG) : 0;
}

int uname(struct utsname *to)
{
    memset(to, 0, sizeof *to);
    strcpy(to->sysname, "Linux");
    strcpy(to->nodename, "localhost");
    strcpy(to->release, "6.1.0");
    strcpy(to->version, "#1 SMP");
    strcpy(to->machine, "x86_64");
    strcpy(to->domainname, "(none)");
    return 0;
}
