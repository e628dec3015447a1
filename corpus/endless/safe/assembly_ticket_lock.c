// A ticket lock whose accesses are all instructions: tickets by a locked exchange-and-add, turns by moves.
#include <assert.h>
#include <pthread.h>

static struct {
    unsigned short turn, next;
} lock;
static int counter;

static unsigned short load(const unsigned short *from)
{
    unsigned short value;
    __asm__ volatile("movw %1, %0" : "=r"(value) : "m"(*from) : "memory");
    return value;
}

static void acquire(void)
{
    unsigned short ticket = 1;
    __asm__ volatile("lock; xaddw %0, %1" : "+r"(ticket), "+m"(lock.next) : : "memory", "cc");
    while (load(&lock.turn) != ticket)
        __asm__ volatile("pause" ::: "memory");
}

static void release(void)
{
    unsigned short turn = load(&lock.turn) + 1;
    __asm__ volatile("movw %1, %0" : "=m"(lock.turn) : "ir"(turn) : "memory");
}

static void *work(void *unused)
{
    acquire();
    counter++;
    release();
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_join(thread, 0);
    assert(counter == 2);
    return 0;
}
