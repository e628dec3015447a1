// What each read-modify-write of <stdatomic.h> and of the __atomic family returns and leaves behind.
#include <assert.h>
#include <stdatomic.h>

int main(void)
{
    atomic_int x = 12;
    int plain = 5, expected = 5, wanted = 9, old;
    assert(atomic_fetch_add(&x, 3) == 12 && atomic_fetch_sub(&x, 5) == 15 && x == 10);
    assert(atomic_fetch_and(&x, 6) == 10 && atomic_fetch_or(&x, 9) == 2 && atomic_fetch_xor(&x, 3) == 11 && x == 8);
    assert(atomic_exchange(&x, 1) == 8);
    int seen = 2;
    assert(!atomic_compare_exchange_strong(&x, &seen, 7) && seen == 1);
    assert(atomic_compare_exchange_strong(&x, &seen, 7) && x == 7);
    assert(__atomic_fetch_nand(&plain, 4, __ATOMIC_RELAXED) == 5 && plain == ~4);
    __atomic_store_n(&plain, 5, __ATOMIC_RELEASE);
    assert(__atomic_compare_exchange(&plain, &expected, &wanted, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    __atomic_exchange(&plain, &expected, &old, __ATOMIC_SEQ_CST);
    assert(old == 9 && __atomic_add_fetch(&plain, 2, __ATOMIC_SEQ_CST) == 7);
    int *_Atomic cursor = &plain;
    assert(atomic_fetch_add(&cursor, 1) == &plain && atomic_load(&cursor) == &plain + 1);
    atomic_flag flag = ATOMIC_FLAG_INIT;
    assert(!atomic_flag_test_and_set(&flag) && atomic_flag_test_and_set(&flag));
    atomic_flag_clear(&flag);
    assert(!atomic_flag_test_and_set(&flag));
    return 0;
}
