// Atomic additions at every width do not get lost.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static _Atomic uint8_t byte = 250;
static _Atomic uint16_t half;
static _Atomic uint32_t word;
static _Atomic uint64_t wide;

static void *add(void *which)
{
    switch (*(int *)which) {
    case 0:
        byte += 3;
        break;
    case 1:
        half += 300;
        break;
    case 2:
        word++;
        break;
    default:
        wide += 1ull << 40;
    }
    return 0;
}

int main(void)
{
    static int numbers[4] = {0, 1, 2, 3};
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], 0, add, &numbers[i]);
    for (int i = 0; i < 4; i++)
        add(&numbers[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
    assert(byte == 0 && half == 600 && word == 2 && wide == 2ull << 40);
    return 0;
}
