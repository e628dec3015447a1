// Named semaphores. There is no other process, so a name leads to an object of this one, which lives until it is unlinked and each
// use is closed. Only posts and waits order threads (tables.h).
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <semaphore.h>
#include <stdarg.h>

#include "tables.h"

void __selvedge_unsupported(const char *what);

enum { MOST = 64, LONGEST = 251 };

static _Atomic int lock;
// Which places have a name, and how often each is open. Neither: the place is free.
static _Atomic unsigned long linked;
static _Atomic unsigned uses[MOST];
static struct table_name names[MOST];
static sem_t semaphores[MOST];

// The place of a name; -1: there is none.
static int find(const struct name *name)
{
    for (unsigned long left = TABLE_GET(linked); left; left &= left - 1)
        if (table_has_name(&names[__builtin_ctzl(left)], name))
            return __builtin_ctzl(left);
    return -1;
}

static void leave(int place)
{
    if (!TABLE_GET(uses[place]) && !(TABLE_GET(linked) >> place & 1))
        sem_destroy(&semaphores[place]);
}

static sem_t *refused(int error)
{
    errno = error;
    return SEM_FAILED;
}

// The part after the slash; null if there is none.
static const char *checked(const char *name)
{
    if (*name == '/')
        name++;
    return *name && !strchr(name, '/') ? name : 0;
}

static int made(const struct name *name, unsigned value)
{
    unsigned long all = TABLE_GET(linked);
    int place = 0;
    while (place < MOST && (all >> place & 1 || TABLE_GET(uses[place])))
        place++;
    if (place == MOST)
        __selvedge_unsupported("more than 64 named semaphores at a time");
    sem_init(&semaphores[place], 0, value);
    table_set_name(&names[place], name);
    TABLE_SET(linked, all | 1ul << place);
    return place;
}

// Sets the place; 0 or the error number.
static int opened(const struct name *name, int flags, unsigned value, int *place)
{
    *place = find(name);
    if (*place >= 0 && flags & O_CREAT && flags & O_EXCL)
        return EEXIST;
    if (*place < 0 && !(flags & O_CREAT))
        return ENOENT;
    if (*place < 0 && value > INT_MAX)
        return EINVAL;
    if (*place < 0)
        *place = made(name, value);
    TABLE_ADD(uses[*place], 1);
    return 0;
}

sem_t *sem_open(const char *name, int flags, ...)
{
    unsigned value = 0;
    if (flags & O_CREAT)
    {
        va_list values;
        va_start(values, flags);
        (void)va_arg(values, unsigned); // the mode
        value = va_arg(values, unsigned);
        va_end(values);
    }
    const char *rest = checked(name);
    if (!rest)
        return refused(EINVAL);
    if (strlen(rest) > LONGEST)
        return refused(ENAMETOOLONG);
    struct name wanted = name_of(rest);
    int place;
    table_lock(&lock);
    int error = opened(&wanted, flags, value, &place);
    table_unlock(&lock);
    return error ? refused(error) : &semaphores[place];
}

int sem_close(sem_t *semaphore)
{
    int place = 0, error = EINVAL;
    while (place < MOST && &semaphores[place] != semaphore)
        place++;
    if (place < MOST)
    {
        table_lock(&lock);
        if (TABLE_GET(uses[place]))
        {
            TABLE_ADD(uses[place], -1u);
            leave(place);
            error = 0;
        }
        table_unlock(&lock);
    }
    if (error)
        errno = error;
    return error ? -1 : 0;
}

int sem_unlink(const char *name)
{
    const char *rest = checked(name);
    int place = -1, error = !rest ? EINVAL : strlen(rest) > LONGEST ? ENAMETOOLONG : 0;
    if (!error)
    {
        struct name gone = name_of(rest);
        table_lock(&lock);
        place = find(&gone);
        if (place >= 0)
        {
            TABLE_SET(linked, TABLE_GET(linked) & ~(1ul << place));
            leave(place);
        }
        table_unlock(&lock);
    }
    if (place < 0)
        errno = error ? error : ENOENT;
    return place < 0 ? -1 : 0;
}
