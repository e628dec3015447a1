// Two threads of a server wait for each other's lock, while its first thread waits for connections.
// options: --other-peers off
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;

static void *works(void *order)
{
    pthread_mutex_t *first = order ? &one : &two, *second = order ? &two : &one;
    pthread_mutex_lock(first);
    pthread_mutex_lock(second); // expect: deadlock, deadlock.partial
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
    return 0;
}

int main(void)
{
    pthread_t thread;
    struct sockaddr_in address = {AF_INET, htons(4000), {htonl(INADDR_LOOPBACK)}, {0}};
    int server = socket(AF_INET, SOCK_STREAM, 0);
    bind(server, (struct sockaddr *)&address, sizeof address);
    listen(server, 3);
    pthread_create(&thread, 0, works, 0);
    pthread_create(&thread, 0, works, &one);
    return accept(server, 0, 0);
}
