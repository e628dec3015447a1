// Waiting for children, of which there are none: nothing here makes one.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>

static int refused(int error)
{
    errno = error;
    return -1;
}

pid_t waitpid(pid_t process, int *status, int options)
{
    (void)status;
    pthread_testcancel();
    if (options & ~(WNOHANG | WUNTRACED | WCONTINUED | __WNOTHREAD | __WALL | __WCLONE))
        return refused(EINVAL);
    return refused(process == (pid_t)-0x7fffffff - 1 ? ESRCH : ECHILD);
}

pid_t wait(int *status) { return waitpid(-1, status, 0); }

int waitid(idtype_t of, id_t id, siginfo_t *information, int options)
{
    (void)information;
    pthread_testcancel();
    if (options & ~(WNOHANG | WNOWAIT | WEXITED | WSTOPPED | WCONTINUED | __WNOTHREAD | __WALL | __WCLONE) ||
        !(options & (WEXITED | WSTOPPED | WCONTINUED)))
        return refused(EINVAL);
    if ((of == P_PID && (int)id <= 0) || (of == P_PGID && (int)id < 0) || (of != P_ALL && of != P_PID && of != P_PGID))
        return refused(of == P_PIDFD ? EBADF : EINVAL);
    return refused(ECHILD);
}

pid_t wait4(pid_t process, int *status, int options, struct rusage *usage)
{
    (void)usage;
    return waitpid(process, status, options);
}

pid_t wait3(int *status, int options, struct rusage *usage) { return wait4(-1, status, options, usage); }
