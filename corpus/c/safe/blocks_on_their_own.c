// Each thread's blocks touch a variable of its own: one order of them stands for all. With one
// class for all blocks there are 12! / (4! 4! 4!) = 34,650.
// count(dpor)=1
// count(dpor,memory)=1
#include <pthread.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static int a, b, c;

#define WORK(function, variable) \
    static void *function(void *unused) \
    { \
        for (int i = 0; i < 4; i++) { \
            __VERIFIER_atomic_begin(); \
            variable++; \
            __VERIFIER_atomic_end(); \
        } \
        return unused; \
    }
WORK(on_a, a)
WORK(on_b, b)
WORK(on_c, c)

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], 0, on_a, 0);
    pthread_create(&threads[1], 0, on_b, 0);
    pthread_create(&threads[2], 0, on_c, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}
