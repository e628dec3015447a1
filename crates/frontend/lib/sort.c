// Sorting and searching. qsort is a heap sort: in place, without malloc, the same comparisons on every run. A few elements are
// sorted by binary insertion instead, which compares as little as any sort and asks nothing twice: n symbolic elements make
// n! paths. Like any qsort it promises no order among equal elements.

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef int (*compare_r)(const void *, const void *, void *);

// By words if the elements are aligned, so that a symbolic value moves as a whole.
static void swap(char *a, char *b, size_t size)
{
    if (((uintptr_t)a | (uintptr_t)b | size) % 8 == 0) {
        for (size_t i = 0; i < size; i += 8) {
            uint64_t word = *(uint64_t *)(a + i);
            *(uint64_t *)(a + i) = *(uint64_t *)(b + i);
            *(uint64_t *)(b + i) = word;
        }
    } else if (((uintptr_t)a | (uintptr_t)b | size) % 4 == 0) {
        for (size_t i = 0; i < size; i += 4) {
            uint32_t word = *(uint32_t *)(a + i);
            *(uint32_t *)(a + i) = *(uint32_t *)(b + i);
            *(uint32_t *)(b + i) = word;
        }
    } else {
        for (size_t i = 0; i < size; i++) {
            char byte = a[i];
            a[i] = b[i];
            b[i] = byte;
        }
    }
}

enum { FEW = 16 };

static void insertion_sort(char *base, size_t count, size_t size, compare_r compare, void *argument)
{
    for (size_t next = 1; next < count; next++) {
        // It belongs behind the last of the sorted ones that is not greater.
        size_t low = 0, high = next;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (compare(base + next * size, base + middle * size, argument) < 0)
                high = middle;
            else
                low = middle + 1;
        }
        for (size_t at = next; at > low; at--)
            swap(base + (at - 1) * size, base + at * size, size);
    }
}

static void sift_down(char *base, size_t root, size_t count, size_t size, compare_r compare, void *argument)
{
    for (;;) {
        size_t child = 2 * root + 1;
        if (child >= count)
            return;
        if (child + 1 < count && compare(base + child * size, base + (child + 1) * size, argument) < 0)
            child++;
        if (compare(base + root * size, base + child * size, argument) >= 0)
            return;
        swap(base + root * size, base + child * size, size);
        root = child;
    }
}

void qsort_r(void *base, size_t count, size_t size, compare_r compare, void *argument)
{
    // It may write all elements, also where they are sorted (C11 7.1.4); glibc does.
    if (count > 1)
        memmove(base, base, count * size);
    if (count <= FEW) {
        insertion_sort(base, count, size, compare, argument);
        return;
    }
    for (size_t root = count / 2; root-- > 0;)
        sift_down(base, root, count, size, compare, argument);
    for (size_t last = count; last-- > 1;) {
        swap(base, (char *)base + last * size, size);
        sift_down(base, 0, last, size, compare, argument);
    }
}

struct plain {
    int (*compare)(const void *, const void *);
};

static int compare_plain(const void *a, const void *b, void *plain) { return ((struct plain *)plain)->compare(a, b); }

void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    struct plain plain = {compare};
    qsort_r(base, count, size, compare_plain, &plain);
}

void *bsearch(const void *key, const void *base, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const char *element = (const char *)base + middle * size;
        int order = compare(key, element);
        if (order == 0)
            return (void *)element;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

void *lfind(const void *key, const void *base, size_t *count, size_t size, int (*compare)(const void *, const void *))
{
    for (size_t i = 0; i < *count; i++)
        if (compare(key, (const char *)base + i * size) == 0)
            return (char *)base + i * size;
    return NULL;
}

void *lsearch(const void *key, void *base, size_t *count, size_t size, int (*compare)(const void *, const void *))
{
    void *found = lfind(key, base, count, size, compare);
    if (!found) {
        found = (char *)base + *count * size;
        for (size_t i = 0; i < size; i++)
            ((char *)found)[i] = ((const char *)key)[i];
        (*count)++;
    }
    return found;
}
