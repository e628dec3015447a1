// Both threads use a part of the library that serves all threads: that one was there first orders nothing.
// variant: -DUSE=1
// variant: -DUSE=2
// variant: -DUSE=3
// variant: -DUSE=4
// variant: -DUSE=5
// variant: -DUSE=6
// variant: -DUSE=7 only(count) count(dpor)=246
// variant: -DUSE=8
#define _GNU_SOURCE
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

static int plain;
static atomic_int first_is_done;
static pthread_t starter;
static mqd_t queues[2];

static void nothing(void) {}
static void on_signal(int number) { (void)number; }

static void use(int which)
{
#if USE == 1
    sem_open(which ? "/late" : "/early", O_CREAT, 0600, 1u);
#elif USE == 2
    sem_unlink(which ? "/late" : "/early");
#elif USE == 3
    mq_open(which ? "/late" : "/early", O_CREAT | O_RDWR, 0600, NULL);
#elif USE == 4
    char text[8192];
    mq_receive(queues[which], text, sizeof text, NULL);
#elif USE == 5
    at_quick_exit(nothing);
#elif USE == 6
    pthread_kill(starter, which ? SIGUSR2 : SIGUSR1);
#elif USE == 7
    alarm(which ? 0 : 100);
#elif USE == 8
    flock(open("shared", O_CREAT | O_RDONLY, 0600), LOCK_SH | LOCK_NB);
#endif
    (void)which;
}

static void *early(void *unused)
{
    plain = 1; // expect: data-race
    use(0);
    atomic_store_explicit(&first_is_done, 1, memory_order_relaxed);
    return unused;
}

static void *late(void *unused)
{
    if (atomic_load_explicit(&first_is_done, memory_order_relaxed)) {
        use(1);
        plain = 2; // expect: data-race
    }
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    starter = pthread_self();
#if USE == 4
    queues[0] = mq_open("/one", O_CREAT | O_RDWR | O_NONBLOCK, 0600, NULL);
    queues[1] = mq_open("/two", O_CREAT | O_RDWR | O_NONBLOCK, 0600, NULL);
#elif USE == 6 || USE == 7
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);
    sigaction(SIGALRM, &action, NULL);
#endif
    (void)on_signal;
    (void)nothing;
    pthread_create(&threads[0], NULL, early, NULL);
    pthread_create(&threads[1], NULL, late, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
