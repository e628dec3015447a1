// The names of services and protocols that every system has, and getaddrinfo with them.
#include <arpa/inet.h>
#include <assert.h>
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>

int main(void)
{
    struct servent *service = getservbyname("http", "tcp");
    assert(service && ntohs(service->s_port) == 80 && !strcmp(service->s_proto, "tcp") && !service->s_aliases[0]);
    assert(!getservbyname("http", "udp"));
    service = getservbyport(htons(53), "udp");
    assert(service && !strcmp(service->s_name, "domain"));
    struct protoent *protocol = getprotobyname("tcp");
    assert(protocol && protocol->p_proto == IPPROTO_TCP && !strcmp(protocol->p_aliases[0], "TCP"));
    assert(getprotobynumber(17)->p_proto == 17);
    struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM, .ai_flags = AI_CANONNAME}, *list;
    assert(getaddrinfo("127.0.0.1", "https", &hints, &list) == 0);
    assert(ntohs(((struct sockaddr_in *)list->ai_addr)->sin_port) == 443 && !strcmp(list->ai_canonname, "127.0.0.1"));
    assert(!list->ai_next);
    freeaddrinfo(list);
    hints = (struct addrinfo){0};
    assert(getaddrinfo("localhost", "http", &hints, &list) == 0 && list->ai_socktype == SOCK_STREAM && !list->ai_next);
    freeaddrinfo(list);
    hints.ai_socktype = SOCK_DGRAM;
    assert(getaddrinfo("localhost", "http", &hints, &list) == EAI_SERVICE);
    return 0;
}
