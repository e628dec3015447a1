// What is still pointed to when the process ends is not lost: from a global, from inside of another block, by a pointer with a tag
// in its low bits, by one behind the end, by one that is not aligned, by main's thread-local variable and thread-specific data.
// options: --property memory,leak
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct node {
    struct node *next;
};
static struct node *list;
static uintptr_t tagged;
static int *end;
static struct {
    char kind;
    char *text;
} __attribute__((packed)) odd;
static __thread char *own;
static const char *middle;

int main(void)
{
    pthread_key_t key;
    list = malloc(sizeof *list);
    list->next = malloc(sizeof *list);
    list->next->next = list;
    tagged = (uintptr_t)malloc(8) | 1;
    end = (int *)malloc(4 * sizeof(int)) + 4;
    odd.text = strdup("odd");
    own = malloc(1);
    middle = strdup("a longer text") + 2;
    pthread_key_create(&key, 0);
    pthread_setspecific(key, malloc(3));
    return 0;
}
