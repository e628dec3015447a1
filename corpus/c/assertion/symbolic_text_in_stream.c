// How much is read and what is written depend on inputs; the file shows in which order.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

unsigned char __VERIFIER_nondet_uchar(void);
void __VERIFIER_assume(int);

static int ends[2];
static FILE *file;

static void *feed(void *p)
{
    write(ends[1], "abc", 3);
    fputs("x", file);
    return p;
}

int main(void)
{
    pthread_t t;
    char got[8] = "", text[8];
    unsigned char count = __VERIFIER_nondet_uchar(), number = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(count >= 1 && count <= 3 && number < 3);
    pipe(ends);
    file = fopen("file", "w+");
    pthread_create(&t, NULL, feed, NULL);
    int n = read(ends[0], got, count);
    fprintf(file, "%d", number);
    pthread_join(t, NULL);
    rewind(file);
    fgets(text, 8, file);
    assert(n == count);
    assert(!(n == 2 && text[0] == '1' && text[1] == 'x')); // expect: assertion
    return 0;
}
