// Several buffers at once, through a pipe; the alternate stack of handlers; the stack of a thread; a guard page.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

static void *look_at_stack(void *unused)
{
    pthread_attr_t attributes;
    void *low;
    size_t size;
    assert(pthread_getattr_np(pthread_self(), &attributes) == 0);
    assert(pthread_attr_getstack(&attributes, &low, &size) == 0);
    assert(low && size >= 16384);
    pthread_attr_destroy(&attributes);
    return unused;
}

int main(void)
{
    int ends[2];
    char one[4] = "abc", two[3] = "de", first[2], second[8] = "";
    struct iovec out[] = {{one, 3}, {0, 0}, {two, 2}}, in[] = {{first, 2}, {second, 8}};
    assert(pipe(ends) == 0);
    assert(writev(ends[1], out, 3) == 5);
    assert(readv(ends[0], in, 2) == 5);
    assert(!memcmp(first, "ab", 2) && !strcmp(second, "cde"));
    errno = 0;
    assert(writev(ends[1], out, -1) == -1 && errno == EINVAL);
    assert(writev(99, out, 3) == -1 && errno == EBADF);

    static char stack[8192];
    stack_t wanted = {.ss_sp = stack, .ss_size = sizeof stack}, old;
    assert(sigaltstack(0, &old) == 0 && old.ss_flags == SS_DISABLE);
    assert(sigaltstack(&wanted, 0) == 0);
    assert(sigaltstack(0, &old) == 0 && old.ss_sp == stack && old.ss_flags == 0);
    wanted.ss_size = 1;
    assert(sigaltstack(&wanted, 0) == -1 && errno == ENOMEM);

    char *pages = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(mprotect(pages, 4096, PROT_NONE) == 0);
    pages[4096] = 1;
    assert(mprotect(pages, 4096, PROT_READ | PROT_WRITE) == 0);
    assert(pages[0] == 0);
    assert(munmap(pages, 8192) == 0);

    char text[8];
    assert(strerror_r(ENOENT, text, sizeof text) != 0);
    assert(getauxval(AT_PAGESZ) == 4096);

    pthread_t thread;
    pthread_create(&thread, 0, look_at_stack, 0);
    look_at_stack(0);
    pthread_join(thread, 0);
    return 0;
}
