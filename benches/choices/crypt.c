// The cipher IDEA over blocks: threads encrypt slices of a text, and then decrypt them.
//
// Shape: Crypt of the Java Grande Forum, in C. Three shared arrays (the text, the encrypted text,
// the decrypted one); each thread works on the blocks of its own slice. The subkeys are computed
// before the threads start and only read by them.
//
// Sizes: THREADS (2), BLOCKS of eight bytes for each thread (1), ROUNDS of the cipher (1; IDEA has
// 8).
// Verdict: true. ERROR=1: slices are one block too long (data race; memory error at the last
// block). ERROR=2: decryption does not wait for encryption (data race).
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

#ifndef THREADS
#define THREADS 2
#endif
#ifndef BLOCKS
#define BLOCKS 1
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif
#ifndef ERROR
#define ERROR 0
#endif

enum { BLOCK = 8, LENGTH = THREADS * BLOCKS * BLOCK, SUBKEYS = 6 * ROUNDS + 4 };

struct task {
    const uint8_t *from;
    uint8_t *to;
    const uint16_t *keys;
    int first, last;
};

static uint8_t plain[LENGTH], encrypted[LENGTH], decrypted[LENGTH];
static uint16_t encryption_keys[SUBKEYS], decryption_keys[SUBKEYS];

// The product modulo 2^16 + 1, where 0 stands for 2^16.
static uint16_t multiply(uint16_t a, uint16_t b)
{
    if (a == 0)
        return (uint16_t)(1 - b);
    if (b == 0)
        return (uint16_t)(1 - a);
    uint32_t product = (uint32_t)a * b;
    return (uint16_t)(product % 65537);
}

// The inverse modulo the prime 2^16 + 1: the power 2^16 - 1.
static uint16_t invert(uint16_t a)
{
    uint16_t result = 1;
    for (int i = 0; i < 16; i++) {
        result = multiply(result, a);
        a = multiply(a, a);
    }
    return result;
}

// Sixteen bits at a time of the key, which is rotated by 25 bits after each eight subkeys.
static void expand(const uint16_t key[8], uint16_t keys[SUBKEYS])
{
    for (int i = 0; i < SUBKEYS; i++) {
        int bit = (i / 8 * 25 + i % 8 * 16) % 128;
        uint32_t pair = (uint32_t)key[bit / 16] << 16 | key[(bit / 16 + 1) % 8];
        keys[i] = (uint16_t)(pair >> (16 - bit % 16));
    }
}

static void reverse(const uint16_t keys[SUBKEYS], uint16_t inverse[SUBKEYS])
{
    for (int round = 0; round <= ROUNDS; round++) {
        const uint16_t *key = keys + 6 * (ROUNDS - round);
        int swapped = round > 0 && round < ROUNDS;
        inverse[6 * round] = invert(key[0]);
        inverse[6 * round + 1] = (uint16_t)-key[swapped ? 2 : 1];
        inverse[6 * round + 2] = (uint16_t)-key[swapped ? 1 : 2];
        inverse[6 * round + 3] = invert(key[3]);
        if (round < ROUNDS) {
            inverse[6 * round + 4] = key[-2];
            inverse[6 * round + 5] = key[-1];
        }
    }
}

static void cipher(const uint8_t *from, uint8_t *to, const uint16_t *key)
{
    uint16_t x[4];
    for (int i = 0; i < 4; i++)
        x[i] = (uint16_t)(from[2 * i] | from[2 * i + 1] << 8);
    for (int round = 0; round < ROUNDS; round++, key += 6) {
        uint16_t a = multiply(x[0], key[0]), b = (uint16_t)(x[1] + key[1]);
        uint16_t c = (uint16_t)(x[2] + key[2]), d = multiply(x[3], key[3]);
        uint16_t e = multiply(a ^ c, key[4]);
        uint16_t f = multiply((uint16_t)((b ^ d) + e), key[5]);
        e = (uint16_t)(e + f);
        x[0] = a ^ f;
        x[1] = c ^ f;
        x[2] = b ^ e;
        x[3] = d ^ e;
    }
    uint16_t y[4] = {multiply(x[0], key[0]), (uint16_t)(x[2] + key[1]), (uint16_t)(x[1] + key[2]),
                     multiply(x[3], key[3])};
    for (int i = 0; i < 4; i++) {
        to[2 * i] = (uint8_t)y[i];
        to[2 * i + 1] = (uint8_t)(y[i] >> 8);
    }
}

static void *run(void *argument)
{
    const struct task *task = argument;
    for (int i = task->first; i < task->last; i += BLOCK)
        cipher(task->from + i, task->to + i, task->keys);
    return 0;
}

static void start(pthread_t threads[], struct task tasks[], const uint8_t *from, uint8_t *to, const uint16_t *keys)
{
    for (int i = 0; i < THREADS; i++) {
        int first = i * BLOCKS * BLOCK;
        tasks[i] = (struct task){from, to, keys, first, first + (BLOCKS + (ERROR == 1)) * BLOCK};
        pthread_create(&threads[i], 0, run, &tasks[i]);
    }
}

static void finish(pthread_t threads[])
{
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
}

int main(void)
{
    static const uint16_t key[8] = {0x1234, 0x5678, 0x9abc, 0xdef0, 0x0fed, 0xcba9, 0x8765, 0x4321};
    pthread_t encryptors[THREADS], decryptors[THREADS];
    struct task encryptions[THREADS], decryptions[THREADS];
    expand(key, encryption_keys);
    reverse(encryption_keys, decryption_keys);
    for (int i = 0; i < LENGTH; i++)
        plain[i] = (uint8_t)(i * 37 + 11);
    start(encryptors, encryptions, plain, encrypted, encryption_keys);
#if ERROR != 2
    finish(encryptors);
#endif
    start(decryptors, decryptions, encrypted, decrypted, decryption_keys);
#if ERROR == 2
    finish(encryptors);
#endif
    finish(decryptors);
    for (int i = 0; i < LENGTH; i++)
        assert(decrypted[i] == plain[i]);
    return 0;
}
