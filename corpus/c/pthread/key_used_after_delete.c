// A deleted key is set.
#include <pthread.h>

int main(void)
{
    static int value;
    pthread_key_t key;
    pthread_key_create(&key, 0);
    pthread_key_delete(key);
    pthread_setspecific(key, &value); // expect: pthread.key-invalid
    return 0;
}
