// A handle that no pthread_create ever gave.
#include <pthread.h>

int main(void)
{
    pthread_t thread = 0;
    pthread_join(thread, 0); // expect: pthread.invalid-thread
    return 0;
}
