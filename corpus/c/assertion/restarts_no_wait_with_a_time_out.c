// A handler interrupts a wait of a socket with a time-out, and one of a semaphore with a deadline, whatever SA_RESTART says.
//
// variant: -DSOCKET=0
// variant: -DSOCKET=1
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static int ends[2];
static sem_t semaphore;

static void handle(int number) { (void)number; }

static void *wait_for_it(void *unused)
{
    int is_done;
    if (SOCKET) {
        char byte;
        is_done = recv(ends[0], &byte, 1, 0) == 1 || errno == EAGAIN;
    } else {
        struct timespec far = {4000000000, 0};
        is_done = sem_timedwait(&semaphore, &far) == 0 || errno == ETIMEDOUT;
    }
    assert(is_done); // expect: assertion
    return unused;
}

int main(void)
{
    struct timeval time = {9, 0};
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    pthread_t thread;
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
    sem_init(&semaphore, 0, 0);
    sigaction(SIGUSR1, &action, 0);
    pthread_create(&thread, 0, wait_for_it, 0);
    pthread_kill(thread, SIGUSR1);
    if (SOCKET)
        write(ends[1], "x", 1);
    else
        sem_post(&semaphore);
    pthread_join(thread, 0);
    return 0;
}
