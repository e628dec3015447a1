// A question through one pipe, the answer through another one.
// count(dpor)=1
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int question[2], answer[2];

static void *serve(void *p)
{
    int n;
    read(question[0], &n, sizeof n);
    n *= 2;
    write(answer[1], &n, sizeof n);
    return p;
}

int main(void)
{
    pthread_t t;
    int n = 21;
    pipe(question);
    pipe(answer);
    pthread_create(&t, NULL, serve, NULL);
    write(question[1], &n, sizeof n);
    read(answer[0], &n, sizeof n);
    assert(n == 42);
    pthread_join(t, NULL);
    return 0;
}
