// Sorting and searching. qsort is a heap sort: in place, without malloc, the same comparisons on every run. Like any
// qsort it promises no order among equal elements.

#include <stddef.h>

typedef int (*compare_r)(const void *, const void *, void *);

static void swap(char *a, char *b, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        char byte = a[i];
        a[i] = b[i];
        b[i] = byte;
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
