// pthread_self of a thread is the name its creator got.
#include <assert.h>
#include <pthread.h>

static pthread_t seen;

static void *work(void *creator)
{
    seen = pthread_self();
    assert(!pthread_equal(seen, *(pthread_t *)creator));
    return 0;
}

int main(void)
{
    pthread_t thread, self = pthread_self();
    pthread_create(&thread, 0, work, &self);
    pthread_join(thread, 0);
    assert(pthread_equal(seen, thread));
    assert(pthread_equal(self, pthread_self()));
    return 0;
}
