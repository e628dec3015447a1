// What the dynamic linker and the kernel tell a program about itself.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/auxv.h>
#include <unistd.h>

void __selvedge_unsupported(const char *what);

static size_t least_stack(const pthread_attr_t *attributes)
{
    (void)attributes;
    return 16384; // PTHREAD_STACK_MIN
}

// Rust's library and the crate getrandom ask glibc for functions that not every version has.
void *dlsym(void *library, const char *name)
{
    if (library == RTLD_DEFAULT && !strcmp(name, "__pthread_get_minstack"))
        return (void *)least_stack;
    if (library == RTLD_DEFAULT && !strcmp(name, "getrandom"))
        return (void *)getrandom;
    char what[128];
    snprintf(what, sizeof what, "dlsym of \"%.80s\", whose address the machine does not tell", name);
    __selvedge_unsupported(what);
    return 0;
}

unsigned long getauxval(unsigned long kind)
{
    switch (kind)
    {
    case AT_PAGESZ:
        return sysconf(_SC_PAGESIZE);
    case AT_CLKTCK:
        return sysconf(_SC_CLK_TCK);
    case AT_MINSIGSTKSZ:
        return 2048; // MINSIGSTKSZ
    case AT_SECURE:
        return 0;
    }
    __selvedge_unsupported("getauxval of this kind");
    return 0;
}
