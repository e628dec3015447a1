// Setting a limit to what it is, or beyond what may be.
#include <assert.h>
#include <errno.h>
#include <sys/resource.h>

int main(void)
{
    struct rlimit limit, more;
    assert(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    assert(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    more = limit;
    more.rlim_max++;
    assert(setrlimit(RLIMIT_NOFILE, &more) == -1 && errno == EPERM);
    more.rlim_cur = more.rlim_max + 1;
    assert(setrlimit(RLIMIT_NOFILE, &more) == -1 && errno == EINVAL);
    return 0;
}
