// Parts of paths, numbers of devices, addresses of IPv6 as text, classes of wide characters, and random numbers without a seed.
#include <arpa/inet.h>
#include <assert.h>
#include <libgen.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <wctype.h>

uint32_t arc4random_uniform(uint32_t end);

int main(void)
{
    char path[] = "/usr/lib/", again[] = "/usr/lib/", text[INET6_ADDRSTRLEN];
    struct in6_addr address;
    assert(!strcmp(basename(path), "lib") && !strcmp(dirname(again), "/usr"));
    assert(major(makedev(8, 300)) == 8 && minor(makedev(8, 300)) == 300);
    assert(inet_pton(AF_INET6, "1::2:0", &address) == 1 && inet_pton(AF_INET6, "127.0.0.1", &address) == 0);
    assert(inet_ntop(AF_INET6, &address, text, sizeof text) && !strcmp(text, "1::2:0"));
    assert(iswctype('x', wctype("alpha")) && !iswctype('1', wctype("alpha")) && !wctype("none"));
    assert(arc4random_uniform(3) < 3 && arc4random_uniform(0) == 0);
    return 0;
}
