// A thread's handle is read while another thread may just be creating it: it can be there, or not.
// options: --property assertion --visibility memory
#include <assert.h>
#include <pthread.h>

static pthread_t first, second;

static void *last(void *unused)
{
    return unused;
}

static void *create(void *unused)
{
    pthread_create(&second, 0, last, 0);
    pthread_join(second, 0);
    return unused;
}

int main(void)
{
    pthread_create(&first, 0, create, 0);
    assert(second == 0); // expect: assertion
    pthread_join(first, 0);
    return 0;
}
