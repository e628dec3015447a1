// Names of services and protocols: the most usual ones, as Debian's list has them. Of others nothing is known: a call with one is
// unsupported.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netdb.h>
#include <string.h>

void __selvedge_unsupported(const char *what);

enum
{
    TCP = 1,
    UDP = 2,
};

static const struct known
{
    const char *name;
    unsigned short port;
    unsigned char protocols;
} services[] = {{"echo", 7, TCP | UDP}, {"discard", 9, TCP | UDP}, {"daytime", 13, TCP | UDP}, {"ftp-data", 20, TCP}, {"ftp", 21, TCP},
    {"ssh", 22, TCP}, {"telnet", 23, TCP}, {"smtp", 25, TCP}, {"time", 37, TCP | UDP}, {"domain", 53, TCP | UDP}, {"tftp", 69, UDP},
    {"http", 80, TCP}, {"pop3", 110, TCP}, {"nntp", 119, TCP}, {"ntp", 123, UDP}, {"snmp", 161, TCP | UDP}, {"irc", 194, TCP | UDP},
    {"ldap", 389, TCP | UDP}, {"https", 443, TCP | UDP}, {"syslog", 514, UDP}, {"imaps", 993, TCP}, {"pop3s", 995, TCP}};

static const struct
{
    const char *name, *alias;
    int number;
} protocols[] = {{"ip", "IP", 0}, {"icmp", "ICMP", 1}, {"tcp", "TCP", 6}, {"udp", "UDP", 17}};

static char *no_aliases[1];

// The service with this name, or, without a name, with this port; null if there is none for the protocol.
static const struct known *find(const char *name, int port, const char *protocol)
{
    int wanted = !protocol ? TCP | UDP : !strcmp(protocol, "tcp") ? TCP : !strcmp(protocol, "udp") ? UDP : 0;
    for (size_t i = 0; i < sizeof services / sizeof *services; i++)
        if (name ? !strcmp(services[i].name, name) : services[i].port == port)
            return services[i].protocols & wanted ? &services[i] : 0;
    __selvedge_unsupported(name ? "the port of this service's name" : "the name of the service at this port");
    return 0;
}

static struct servent *found(const struct known *service, const char *protocol)
{
    static struct servent last;
    if (!service)
        return 0;
    last.s_name = (char *)service->name;
    last.s_aliases = no_aliases;
    last.s_port = htons(service->port);
    last.s_proto = protocol ? !strcmp(protocol, "tcp") ? "tcp" : "udp" : service->protocols & TCP ? "tcp" : "udp";
    return &last;
}

struct servent *getservbyname(const char *name, const char *protocol)
{
    return found(find(name, 0, protocol), protocol);
}

struct servent *getservbyport(int port, const char *protocol)
{
    return found(find(0, ntohs((unsigned short)port), protocol), protocol);
}

// The port of a service for a kind of socket, in the order of the network; -1 if it has none.
int __selvedge_port_of(const char *name, const char *protocol)
{
    const struct known *service = find(name, 0, protocol);
    return service ? htons(service->port) : -1;
}

static struct protoent *protocol_at(size_t i)
{
    static struct protoent last;
    static char *aliases[2];
    aliases[0] = (char *)protocols[i].alias;
    last.p_name = (char *)protocols[i].name;
    last.p_aliases = aliases;
    last.p_proto = protocols[i].number;
    return &last;
}

struct protoent *getprotobyname(const char *name)
{
    for (size_t i = 0; i < sizeof protocols / sizeof *protocols; i++)
        if (!strcmp(protocols[i].name, name) || !strcmp(protocols[i].alias, name))
            return protocol_at(i);
    __selvedge_unsupported("the number of this protocol's name");
    return 0;
}

struct protoent *getprotobynumber(int number)
{
    for (size_t i = 0; i < sizeof protocols / sizeof *protocols; i++)
        if (protocols[i].number == number)
            return protocol_at(i);
    __selvedge_unsupported("the name of this protocol's number");
    return 0;
}
