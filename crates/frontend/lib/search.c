// Tables of <search.h>. The table of hsearch belongs to the process: POSIX does not ask that these functions be safe for
// threads, so two that use it without order have a data race.
#define _GNU_SOURCE
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

struct _ENTRY
{
    unsigned hash; // 0: free
    ENTRY entry;
};

static int is_prime(unsigned number)
{
    for (unsigned divisor = 3; divisor <= number / divisor; divisor += 2)
        if (number % divisor == 0)
            return 0;
    return 1;
}

// As in glibc, there is room for as many entries as the next prime number says.
int hcreate_r(size_t count, struct hsearch_data *table)
{
    if (!table) {
        errno = EINVAL;
        return 0;
    }
    if (table->table)
        return 0;
    unsigned room = count < 3 ? 3 : (unsigned)count | 1;
    if (count >= 0xffffffff) {
        errno = ENOMEM;
        return 0;
    }
    while (!is_prime(room))
        room += 2;
    table->table = calloc(room + 1ul, sizeof *table->table);
    if (!table->table)
        return 0;
    table->size = room;
    table->filled = 0;
    return 1;
}

void hdestroy_r(struct hsearch_data *table)
{
    if (!table) {
        errno = EINVAL;
        return;
    }
    free(table->table);
    table->table = NULL;
}

int hsearch_r(ENTRY wanted, ACTION action, ENTRY **found, struct hsearch_data *table)
{
    unsigned hash = 0;
    for (const char *at = wanted.key; *at; at++)
        hash = hash * 31 + (unsigned char)*at;
    hash += hash == 0;
    unsigned place = hash % table->size;
    for (unsigned tried = 0; tried < table->size; tried++) {
        struct _ENTRY *here = &table->table[place];
        if (!here->hash)
            break;
        if (here->hash == hash && !strcmp(here->entry.key, wanted.key)) {
            *found = &here->entry;
            return 1;
        }
        place = place + 1 < table->size ? place + 1 : 0;
    }
    *found = NULL;
    if (action == FIND || table->filled == table->size) {
        errno = action == FIND ? ESRCH : ENOMEM;
        return 0;
    }
    table->table[place] = (struct _ENTRY){hash, wanted};
    table->filled++;
    *found = &table->table[place].entry;
    return 1;
}

static struct hsearch_data own;

int hcreate(size_t count) { return hcreate_r(count, &own); }
void hdestroy(void) { hdestroy_r(&own); }

ENTRY *hsearch(ENTRY wanted, ACTION action)
{
    ENTRY *found;
    return hsearch_r(wanted, action, &found, &own) ? found : NULL;
}
