// A thread that waits for its own end.
#include <pthread.h>

int main(void)
{
    pthread_join(pthread_self(), 0); // expect: pthread.join-self
    return 0;
}
