// What a thread gives back right before a library function that reads shared memory is given back, with visibility `memory`, too.
// options: --spurious-wakeups off
// count(dpor)=2
// count(dpor,memory)=2
#include <pthread.h>
#include <string.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static char text[4] = "abc";
static int set;
static void *waiter(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!set) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, waiter, 0);
    pthread_mutex_lock(&lock);
    set = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    size_t length = strlen(text) + strlen(text);
    pthread_join(thread, 0);
    return length == 0;
}
