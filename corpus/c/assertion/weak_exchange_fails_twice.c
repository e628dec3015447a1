// Rounds that are counted differ from each other: the exchange may fail in each of them.
#include <assert.h>
#include <stdatomic.h>

int main(void)
{
    atomic_int value = 0;
    int expected = 0, rounds = 0;
    while (rounds < 3 && !atomic_compare_exchange_weak(&value, &expected, 1))
        rounds++;
    assert(rounds < 3); // expect: assertion
    return 0;
}
