// Variables of libc begin as they do in glibc; the environment is the one that main gets.
#define _GNU_SOURCE
#include <assert.h>
#include <getopt.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

extern char **__environ;

int main(int argc, char **argv, char **envp) {
    assert(opterr == 1 && optind == 1 && optopt == '?' && optarg == NULL);
    assert(environ == envp && environ[0] == NULL && __environ == environ);
    assert(timezone == 0 && daylight == 0);
    assert(strcmp(tzname[0], "GMT") == 0);
    assert(stdin != NULL && stdout != NULL && stdin != stdout);
    for (int i = 0; i < 15; i++)
        assert(in6addr_any.s6_addr[i] == 0 && in6addr_loopback.s6_addr[i] == 0);
    assert(in6addr_loopback.s6_addr[15] == 1);
    return argc - 1;
}
