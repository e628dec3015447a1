// Tables that the model library keeps for all threads. No rule orders threads because both of them use a table, so a table must not do so
// either: its lock orders nothing, and what is in it is accessed by relaxed atomics alone. Nothing in it is ever freed.
#pragma once
#include <stdatomic.h>
#include <string.h>

int __selvedge_claim(_Atomic int *word, int when, int then);

// The word is written by relaxed stores alone, so there is nothing to acquire from it.
static inline void table_lock(_Atomic int *lock) { __selvedge_claim(lock, 0, 1); }
static inline void table_unlock(_Atomic int *lock) { atomic_store_explicit(lock, 0, memory_order_relaxed); }

#define TABLE_GET(place) atomic_load_explicit(&(place), memory_order_relaxed)
#define TABLE_SET(place, value) atomic_store_explicit(&(place), value, memory_order_relaxed)
#define TABLE_ADD(place, value) atomic_fetch_add_explicit(&(place), value, memory_order_relaxed)

// A name of at most 255 characters, with zeros up to the end of its last word.
enum { NAME_WORDS = 32 };
struct name {
    unsigned long words[NAME_WORDS];
    int count;
};
struct table_name {
    _Atomic unsigned long words[NAME_WORDS];
};

static inline struct name name_of(const char *text)
{
    struct name name = {0};
    size_t length = strlen(text);
    memcpy(name.words, text, length);
    name.count = (int)(length / sizeof name.words[0]) + 1;
    return name;
}

static inline void table_set_name(struct table_name *to, const struct name *name)
{
    for (int i = 0; i < name->count; i++)
        TABLE_SET(to->words[i], name->words[i]);
}

static inline int table_has_name(struct table_name *of, const struct name *name)
{
    int i = 0;
    while (i < name->count && TABLE_GET(of->words[i]) == name->words[i])
        i++;
    return i == name->count;
}
