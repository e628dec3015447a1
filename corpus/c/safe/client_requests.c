// What valgrind.h writes into programs: nothing, as long as Valgrind does not run them. The answer is the default.
#include <assert.h>
#include <pthread.h>

static unsigned long request(unsigned long fallback, unsigned long code)
{
    volatile unsigned long args[6] = {code, 0, 0, 0, 0, 0};
    volatile unsigned long answer;
    __asm__ volatile("rolq $3,  %%rdi ; rolq $13, %%rdi\n\t"
                     "rolq $61, %%rdi ; rolq $51, %%rdi\n\t"
                     "xchgq %%rbx,%%rbx"
                     : "=d"(answer)
                     : "a"(&args[0]), "0"(fallback)
                     : "cc", "memory");
    return answer;
}

static void *work(void *arg)
{
    assert(request(7, 0x1001) == 7);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    assert(request(0, 0x1001) == 0);
    pthread_join(t, 0);
    return 0;
}
