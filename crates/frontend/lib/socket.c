// Sockets: what is made of sendto, recvfrom and accept4; addresses as text.
#define _GNU_SOURCE
#include "peer.h"
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

void __selvedge_unsupported(const char *what);
// The port of a service for a kind of socket, in the order of the network; -1 if it has none.
int __selvedge_port_of(const char *name, const char *protocol);

ssize_t send(int fd, const void *data, size_t size, int flags)
{
    return sendto(fd, data, size, flags, 0, 0);
}

ssize_t recv(int fd, void *data, size_t size, int flags)
{
    return recvfrom(fd, data, size, flags, 0, 0);
}

// How many bytes there are in all; -1 if that is refused.
static ssize_t total(const struct msghdr *message)
{
    size_t sum = 0;
    if (message->msg_iovlen > 1024) // IOV_MAX
    {
        errno = EMSGSIZE;
        return -1;
    }
    for (size_t i = 0; i < message->msg_iovlen; i++)
        if (__builtin_add_overflow(sum, message->msg_iov[i].iov_len, &sum) || sum > __LONG_MAX__)
        {
            errno = EINVAL;
            return -1;
        }
    return (ssize_t)sum;
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    ssize_t length = total(message);
    if (length < 0)
        return -1;
    if (message->msg_controllen)
        __selvedge_unsupported("sendmsg with control data");
    char *all = malloc(length ? length : 1);
    size_t at = 0;
    for (size_t i = 0; i < message->msg_iovlen; i++)
    {
        if (message->msg_iov[i].iov_len)
            memcpy(all + at, message->msg_iov[i].iov_base, message->msg_iov[i].iov_len);
        at += message->msg_iov[i].iov_len;
    }
    struct sockaddr *to = message->msg_namelen ? message->msg_name : 0;
    ssize_t sent = sendto(fd, all, length, flags, to, message->msg_namelen);
    free(all);
    return sent;
}

ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    ssize_t length = total(message), at = 0;
    if (length < 0)
        return -1;
    if (flags & MSG_TRUNC)
        __selvedge_unsupported("recvmsg with MSG_TRUNC");
    int type = 0;
    socklen_t size = sizeof type;
    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size))
        return -1;
    // One more byte tells whether a datagram is longer than the room for it.
    size_t room = length + (type == SOCK_DGRAM);
    char *all = malloc(room ? room : 1);
    ssize_t got = recvfrom(fd, all, room, flags & ~MSG_CMSG_CLOEXEC, message->msg_name,
        message->msg_name ? &message->msg_namelen : 0);
    if (got >= 0)
    {
        message->msg_flags = got > length ? MSG_TRUNC : 0;
        message->msg_controllen = 0;
        if (got > length)
            got = length;
    }
    for (size_t i = 0; at < got; i++)
    {
        size_t left = got - at, part = left < message->msg_iov[i].iov_len ? left : message->msg_iov[i].iov_len;
        if (part)
            memcpy(message->msg_iov[i].iov_base, all + at, part);
        at += part;
    }
    free(all);
    return got;
}

// ---- addresses as text

// Four numbers up to 255, without further zeros in front.
static int dotted(const char *text, unsigned char *bytes)
{
    for (int i = 0; i < 4; i++)
    {
        unsigned number = 0, digits = 0;
        for (; *text >= '0' && *text <= '9'; text++)
        {
            if (digits++ && number == 0)
                return 0;
            number = 10 * number + (unsigned)(*text - '0');
            if (number > 255)
                return 0;
        }
        if (!digits || *text != (i < 3 ? '.' : 0))
            return 0;
        text++;
        bytes[i] = (unsigned char)number;
    }
    return 1;
}

int inet_aton(const char *text, struct in_addr *to)
{
    unsigned long parts[4], value = 0;
    int count = 0;
    for (;; text++)
    {
        char *end;
        if (*text < '0' || *text > '9')
            return 0;
        errno = 0;
        parts[count++] = strtoul(text, &end, 0);
        if (parts[count - 1] > 0xffffffff)
            return 0;
        text = end;
        if (*text != '.')
            break;
        if (count == 4)
            return 0;
    }
    if (*text && !strchr(" \t\n\v\f\r", *text))
        return 0;
    // The last part fills all bytes that are left.
    for (int i = 0; i < count - 1; i++)
    {
        if (parts[i] > 255)
            return 0;
        value |= parts[i] << (24 - 8 * i);
    }
    if (parts[count - 1] > 0xffffffff >> 8 * (count - 1))
        return 0;
    if (to)
        to->s_addr = htonl((unsigned)(value | parts[count - 1]));
    return 1;
}

in_addr_t inet_addr(const char *text)
{
    struct in_addr address;
    return inet_aton(text, &address) ? address.s_addr : INADDR_NONE;
}

// Eight numbers of 16 bits; `::` stands for those that are zero, and the last two may be an address of IPv4.
static int with_colons(const char *text, unsigned char *out)
{
    unsigned char bytes[16] = {0};
    int count = 0, gap = -1;
    if (*text == ':' && *++text != ':')
        return 0;
    while (*text)
    {
        if (*text == ':')
        {
            if (gap >= 0)
                return 0;
            gap = count;
            text++;
            continue;
        }
        const char *start = text;
        unsigned number = 0, digits = 0;
        for (; isxdigit((unsigned char)*text); text++)
        {
            if (digits++ == 4)
                return 0;
            number = number << 4 | (unsigned)(isdigit((unsigned char)*text) ? *text - '0' : (*text | 32) - 'a' + 10);
        }
        if (!digits)
            return 0;
        if (*text == '.')
        {
            if (count > 12 || !dotted(start, bytes + count))
                return 0;
            count += 4;
            break;
        }
        if (count > 14)
            return 0;
        bytes[count++] = (unsigned char)(number >> 8);
        bytes[count++] = (unsigned char)number;
        if (*text && (*text++ != ':' || !*text))
            return 0;
    }
    if (gap < 0 ? count != 16 : count == 16)
        return 0;
    memset(out, 0, 16);
    size_t before = gap < 0 ? 16 : (size_t)gap, after = (size_t)count - before;
    memcpy(out, bytes, before);
    if (gap >= 0)
        memcpy(out + 16 - after, bytes + before, after);
    return 1;
}

int inet_pton(int family, const char *restrict text, void *restrict out)
{
    unsigned char bytes[4];
    if (family == AF_INET6)
        return with_colons(text, out);
    if (family != AF_INET)
    {
        errno = EAFNOSUPPORT;
        return -1;
    }
    if (!dotted(text, bytes))
        return 0;
    memcpy(out, bytes, 4);
    return 1;
}

static char *put_dotted(const unsigned char *bytes, char *out)
{
    for (int i = 0; i < 4; i++)
    {
        unsigned number = bytes[i];
        if (i)
            *out++ = '.';
        if (number >= 100)
            *out++ = (char)('0' + number / 100);
        if (number >= 10)
            *out++ = (char)('0' + number / 10 % 10);
        *out++ = (char)('0' + number % 10);
    }
    *out = 0;
    return out;
}

// With `::` for the first one of the longest runs of zeros.
static char *put_colons(const unsigned char *bytes, char *out)
{
    unsigned numbers[8];
    int best = -1, longest = 1;
    for (int i = 0; i < 8; i++)
        numbers[i] = (unsigned)bytes[2 * i] << 8 | bytes[2 * i + 1];
    for (int i = 0, zeros = 0; i < 8; i++)
    {
        zeros = numbers[i] ? 0 : zeros + 1;
        if (zeros > longest)
        {
            longest = zeros;
            best = i + 1 - zeros;
        }
    }
    int end = best < 0 ? -1 : best + longest;
    for (int i = 0; i < 8; i++)
    {
        if (i >= best && i < end)
        {
            if (i == best)
                *out++ = ':';
            continue;
        }
        if (i)
            *out++ = ':';
        if (i == 6 && best == 0 && (longest == 6 || (longest == 5 && numbers[5] == 0xffff)))
            return put_dotted(bytes + 12, out);
        out += sprintf(out, "%x", numbers[i]);
    }
    if (end == 8)
        *out++ = ':';
    *out = 0;
    return out;
}

const char *inet_ntop(int family, const void *restrict address, char *restrict out, socklen_t size)
{
    char text[INET6_ADDRSTRLEN];
    if (family != AF_INET && family != AF_INET6)
    {
        errno = EAFNOSUPPORT;
        return 0;
    }
    socklen_t length = (socklen_t)((family == AF_INET ? put_dotted : put_colons)(address, text) - text) + 1;
    if (length > size)
    {
        errno = ENOSPC;
        return 0;
    }
    memcpy(out, text, length);
    return out;
}

char *inet_ntoa(struct in_addr address)
{
    static _Thread_local char text[18];
    put_dotted((const unsigned char *)&address.s_addr, text);
    return text;
}

// ---- names: "localhost", numbers, and, with servers from outside, any other one: each server is on this machine

static uint32_t host_of(const char *name)
{
    uint32_t host;
    if (dotted(name, (unsigned char *)&host))
        return host;
    int served = !strcmp(name, "localhost");
    for (int i = 0; !served && i < __selvedge_peer_count(); i++)
        served = __selvedge_peer_byte(i, 0) == SERVE;
    if (!served)
        __selvedge_unsupported("the address of another machine's name (--server makes it this one's)");
    return htonl(INADDR_LOOPBACK);
}

static __thread int host_error;

int *__h_errno_location(void)
{
    return &host_error;
}

const char *hstrerror(int error)
{
    switch (error)
    {
    case NETDB_SUCCESS: return "Resolver Error 0 (no error)";
    case HOST_NOT_FOUND: return "Unknown host";
    case TRY_AGAIN: return "Host name lookup failure";
    case NO_RECOVERY: return "Unknown server error";
    case NO_DATA: return "No address associated with name";
    default: return error < 0 ? "Resolver internal error" : "Unknown resolver error";
    }
}

void herror(const char *text)
{
    if (text && *text)
        fprintf(stderr, "%s: ", text);
    fprintf(stderr, "%s\n", hstrerror(host_error));
}

// The result of gethostbyname: a text of the name, an address, and two lists that end.
struct found
{
    struct hostent host;
    char *aliases[1], *addresses[2];
    uint32_t address;
    char name[1];
};

static struct hostent *fill(struct found *found, const char *name)
{
    found->address = host_of(name);
    found->aliases[0] = 0;
    found->addresses[0] = (char *)&found->address;
    found->addresses[1] = 0;
    strcpy(found->name, name);
    found->host = (struct hostent){found->name, found->aliases, AF_INET, sizeof found->address, found->addresses};
    return &found->host;
}

struct hostent *gethostbyname(const char *name)
{
    static struct found *last;
    struct found *found = realloc(last, sizeof *found + strlen(name));
    if (!found)
    {
        host_error = NO_RECOVERY;
        return 0;
    }
    last = found;
    return fill(found, name);
}

int gethostbyname_r(const char *restrict name, struct hostent *restrict host, char *restrict room, size_t size,
    struct hostent **restrict result, int *restrict error)
{
    struct found *found = (struct found *)(((uintptr_t)room + 7) & ~7ul);
    size_t used = (size_t)((char *)found - room);
    *result = 0;
    if (used + sizeof *found + strlen(name) > size)
    {
        *error = NETDB_INTERNAL;
        return ERANGE;
    }
    *host = *fill(found, name);
    *result = host;
    *error = NETDB_SUCCESS;
    return 0;
}

// ---- getaddrinfo

static struct addrinfo *entry(int type, int protocol, int flags, uint32_t host, uint16_t port)
{
    struct
    {
        struct addrinfo info;
        struct sockaddr_in address;
    } *made = calloc(1, sizeof *made);
    if (!made)
        return 0;
    made->address.sin_family = AF_INET;
    made->address.sin_port = port;
    made->address.sin_addr.s_addr = host;
    made->info = (struct addrinfo){flags, AF_INET, type, protocol, sizeof made->address,
        (struct sockaddr *)&made->address, 0, 0};
    return &made->info;
}

int getaddrinfo(const char *restrict node, const char *restrict service, const struct addrinfo *restrict hints,
    struct addrinfo **restrict result)
{
    struct addrinfo none = {0};
    static const struct
    {
        int type, protocol;
        const char *name;
    } kinds[] = {{SOCK_STREAM, IPPROTO_TCP, "tcp"}, {SOCK_DGRAM, IPPROTO_UDP, "udp"}};
    uint32_t host = 0;
    unsigned port = 0;
    int named = 0;
    if (!hints)
        hints = &none;
    if (!node && !service)
        return EAI_NONAME;
    if (hints->ai_flags & ~(AI_PASSIVE | AI_CANONNAME | AI_NUMERICHOST | AI_NUMERICSERV | AI_ADDRCONFIG | AI_V4MAPPED | AI_ALL))
        __selvedge_unsupported("getaddrinfo with these flags");
    if (hints->ai_family != AF_UNSPEC && hints->ai_family != AF_INET)
        return hints->ai_family == AF_INET6 ? EAI_NONAME : EAI_FAMILY;
    if (!node)
        host = htonl(hints->ai_flags & AI_PASSIVE ? INADDR_ANY : INADDR_LOOPBACK);
    else if (hints->ai_flags & AI_NUMERICHOST)
    {
        if (!dotted(node, (unsigned char *)&host))
            return EAI_NONAME;
    }
    else
        host = host_of(node);
    if (hints->ai_flags & AI_CANONNAME && !node)
        return EAI_BADFLAGS;
    for (const char *at = service; at && *at; at++)
    {
        if (*at < '0' || *at > '9')
        {
            if (hints->ai_flags & AI_NUMERICSERV)
                return EAI_NONAME;
            named = 1;
            break;
        }
        port = 10 * port + (unsigned)(*at - '0');
        if (port > 65535)
            __selvedge_unsupported("getaddrinfo of a port above 65535");
    }
    struct addrinfo **last = result;
    *last = 0;
    for (int i = 0; i < 2; i++)
    {
        if (hints->ai_socktype && hints->ai_socktype != kinds[i].type)
            continue;
        if (hints->ai_protocol && hints->ai_protocol != kinds[i].protocol)
            continue;
        int at = named ? __selvedge_port_of(service, kinds[i].name) : htons((uint16_t)port);
        if (at < 0)
            continue;
        *last = entry(kinds[i].type, kinds[i].protocol, hints->ai_flags, host, (uint16_t)at);
        if (!*last)
            return EAI_MEMORY;
        last = &(*last)->ai_next;
    }
    if (named && !*result)
        return EAI_SERVICE;
    if (!hints->ai_socktype && !hints->ai_protocol && !named)
    {
        *last = entry(SOCK_RAW, 0, hints->ai_flags, host, htons((uint16_t)port));
        if (!*last)
            return EAI_MEMORY;
    }
    if (*result && hints->ai_flags & AI_CANONNAME)
        (*result)->ai_canonname = strdup(node);
    return *result ? 0 : EAI_SOCKTYPE;
}

void freeaddrinfo(struct addrinfo *list)
{
    while (list)
    {
        struct addrinfo *next = list->ai_next;
        free(list->ai_canonname);
        free(list);
        list = next;
    }
}

const char *gai_strerror(int error)
{
    switch (error)
    {
    case EAI_AGAIN: return "Temporary failure in name resolution";
    case EAI_BADFLAGS: return "Bad value for ai_flags";
    case EAI_FAIL: return "Non-recoverable failure in name resolution";
    case EAI_FAMILY: return "ai_family not supported";
    case EAI_MEMORY: return "Memory allocation failure";
    case EAI_NONAME: return "Name or service not known";
    case EAI_SERVICE: return "Servname not supported for ai_socktype";
    case EAI_SOCKTYPE: return "ai_socktype not supported";
    case EAI_SYSTEM: return "System error";
    default: return "Unknown error";
    }
}

// ---- getnameinfo: "localhost" for the machine's own address, numbers for others and for services

static int text(const char *from, char *to, socklen_t room)
{
    if (!to || room == 0)
        return 0;
    if (strlen(from) >= room)
        return EAI_OVERFLOW;
    strcpy(to, from);
    return 0;
}

int getnameinfo(const struct sockaddr *restrict address, socklen_t length, char *restrict host, socklen_t host_room, char *restrict service,
    socklen_t service_room, int flags)
{
    const struct sockaddr_in *in = (const struct sockaddr_in *)(const void *)address;
    char number[INET_ADDRSTRLEN];
    if (flags & ~(NI_NUMERICHOST | NI_NUMERICSERV | NI_NOFQDN | NI_NAMEREQD | NI_DGRAM))
        return EAI_BADFLAGS;
    if (length < sizeof(sa_family_t) || address->sa_family == AF_UNIX)
        __selvedge_unsupported("getnameinfo of an address that is no internet address");
    if (address->sa_family != AF_INET || length < sizeof *in)
        return EAI_FAMILY;
    if ((!host || host_room == 0) && (!service || service_room == 0))
        return EAI_NONAME;
    int error = 0;
    if (host && host_room > 0) {
        int is_own = ntohl(in->sin_addr.s_addr) == INADDR_LOOPBACK;
        inet_ntop(AF_INET, &in->sin_addr, number, sizeof number);
        if (!is_own && flags & NI_NAMEREQD)
            return EAI_NONAME;
        error = text(is_own && !(flags & NI_NUMERICHOST) ? "localhost" : number, host, host_room);
    }
    if (error)
        return error;
    snprintf(number, sizeof number, "%u", ntohs(in->sin_port));
    return text(number, service, service_room);
}
