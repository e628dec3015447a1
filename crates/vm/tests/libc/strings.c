// The string functions, over small strings of all kinds.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const words[] = {"", "a", "b", "ab", "abc", "abcabcabd", "\xff\x01", "the quick brown fox", "aaaaaaaaaaaaaaaaaaaaaaaab"};
enum { WORDS = sizeof words / sizeof *words };

static long at(const char *base, const void *p) { return p ? (const char *)p - base : -1; }

int main(void)
{
    for (int i = 0; i < WORDS; i++) {
        const char *a = words[i];
        printf("%zu %zu %zu\n", strlen(a), strnlen(a, 3), strnlen(a, 100));
        for (int c = 0; c < 128; c += 1)
            if (strchr(a, c) || strrchr(a, c))
                printf("%d:%ld,%ld ", c, at(a, strchr(a, c)), at(a, strrchr(a, c)));
        printf("\n");
        for (int j = 0; j < WORDS; j++) {
            const char *b = words[j];
            printf("%d %d %d %d", strcmp(a, b), strncmp(a, b, 2), strncmp(a, b, 0), strcoll(a, b) < 0);
            size_t n = strlen(a) < strlen(b) ? strlen(a) : strlen(b);
            printf(" %d %ld", memcmp(a, b, n), at(a, strstr(a, b)));
            char buffer[64];
            memset(buffer, '.', sizeof buffer);
            strcpy(buffer, a);
            strcat(buffer, b);
            strncat(buffer, a, 2);
            printf(" %s", buffer);
            memset(buffer, '.', sizeof buffer);
            strncpy(buffer, a, 5);
            strncpy(buffer + 10, b, 3);
            for (int k = 0; k < 20; k++)
                printf("%02x", (unsigned char)buffer[k]);
            printf(" %s %ld\n", stpcpy(buffer, b) == buffer + strlen(b) ? "end" : "?", at(a, memchr(a, 'b', strlen(a) + 1)));
        }
        char *copy = strdup(a), *part = strndup(a, 4);
        printf("%s %s\n", copy, part);
        free(copy);
        free(part);
    }
    char buffer[32];
    for (int i = 0; i < 32; i++)
        buffer[i] = (char)('A' + i);
    memmove(buffer + 3, buffer, 20);
    printf("%.32s\n", buffer);
    memmove(buffer, buffer + 5, 20);
    printf("%.32s\n", buffer);
    memcpy(buffer, buffer, 10);
    memset(buffer + 3, 0x12345, 4);
    printf("%.32s\n", buffer);
    printf("%ld\n", at(buffer, memchr(buffer, 'E', 1000)));
    int *numbers = calloc(10, sizeof *numbers);
    for (int i = 0; i < 10; i++)
        printf("%d", numbers[i]++);
    numbers = realloc(numbers, 20 * sizeof *numbers);
    numbers[19] = 5;
    for (int i = 0; i < 10; i++)
        printf("%d", numbers[i]);
    numbers = realloc(numbers, 2 * sizeof *numbers);
    printf(" %d %d\n", numbers[0], numbers[1]);
    free(numbers);
    free(NULL);
    void *p = aligned_alloc(64, 128), *q;
    printf("%d %d\n", (int)((unsigned long)p % 64), posix_memalign(&q, 256, 10));
    printf("%d %d\n", (int)((unsigned long)q % 256), posix_memalign(&q, 3, 10));
    free(p);
    void *empty = malloc(0), *other = malloc(0);
    printf("%d %d\n", empty != NULL, empty != other);
    free(empty);
    free(other);
    printf("%d\n", calloc(1UL << 40, 1UL << 40) == NULL);
    return 0;
}
