// Two threads exchange a message each. The assertion fails only if the first answers the second before that one looks, and
// the second input is larger than the first.
#include <assert.h>
#include <stdatomic.h>
#include <pthread.h>

unsigned char __VERIFIER_nondet_uchar(void);

static atomic_int mail_a, mail_b;

static void *first(void *unused)
{
    int mine = __VERIFIER_nondet_uchar();
    mail_a = mine;
    int other = mail_b;
    if (other > mine)
        mail_a = other + 1000;
    return unused;
}

static void *second(void *unused)
{
    int mine = 1 + __VERIFIER_nondet_uchar();
    mail_b = mine;
    int other = mail_a;
    assert(other - mine != 1000); // expect: assertion
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
