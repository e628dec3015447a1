// The network interfaces of the machine: there is one, the loopback.
#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

static const char loopback[] = "lo";

unsigned if_nametoindex(const char *name)
{
    if (!strcmp(name, loopback))
        return 1;
    errno = ENODEV;
    return 0;
}

char *if_indextoname(unsigned index, char *name)
{
    if (index == 1)
        return strcpy(name, loopback);
    errno = ENXIO;
    return NULL;
}

struct if_nameindex *if_nameindex(void)
{
    struct if_nameindex *all = malloc(2 * sizeof *all);
    if (!all) {
        errno = ENOBUFS;
        return NULL;
    }
    all[0] = (struct if_nameindex){1, strdup(loopback)};
    all[1] = (struct if_nameindex){0, NULL};
    return all;
}

void if_freenameindex(struct if_nameindex *all)
{
    free(all[0].if_name);
    free(all);
}
