// Two threads of one function: the second jumps to where the first one called setjmp, though it has called it there, too.
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>

static jmp_buf buffers[2];

static void *run(void *unused)
{
    static atomic_int numbers;
    int number = atomic_fetch_add(&numbers, 1);
    if (setjmp(buffers[number]) == 0 && number == 1)
        longjmp(buffers[0], 1); // expect: pthread.misuse
    return unused;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 2; i++) {
        pthread_create(&thread, 0, run, 0);
        pthread_join(thread, 0);
    }
    return 0;
}
