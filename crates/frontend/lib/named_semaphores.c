// Named semaphores. There is no other process, so a name leads to an object of this one, which lives until it is unlinked and each
// use is closed.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct named
{
    sem_t semaphore; // first: the address of the one is that of the other
    struct named *next;
    unsigned uses;
    int linked;
    char name[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct named *all;

static struct named *find(const char *name)
{
    struct named *at = all;
    while (at && !(at->linked && !strcmp(at->name, name)))
        at = at->next;
    return at;
}

static void leave(struct named *gone)
{
    struct named **at = &all;
    if (gone->uses || gone->linked)
        return;
    while (*at != gone)
        at = &(*at)->next;
    *at = gone->next;
    sem_destroy(&gone->semaphore);
    free(gone);
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

static sem_t *opened(const char *name, int flags, unsigned value)
{
    struct named *found = find(name);
    if (found && flags & O_CREAT && flags & O_EXCL)
        return refused(EEXIST);
    if (!found && !(flags & O_CREAT))
        return refused(ENOENT);
    if (!found)
    {
        if (value > INT_MAX)
            return refused(EINVAL);
        found = malloc(sizeof *found + strlen(name) + 1);
        if (!found)
            return refused(ENOMEM);
        sem_init(&found->semaphore, 0, value);
        found->uses = 0;
        found->linked = 1;
        strcpy(found->name, name);
        found->next = all;
        all = found;
    }
    found->uses++;
    return &found->semaphore;
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
    pthread_mutex_lock(&lock);
    sem_t *semaphore = opened(rest, flags, value);
    pthread_mutex_unlock(&lock);
    return semaphore;
}

int sem_close(sem_t *semaphore)
{
    int error = EINVAL;
    pthread_mutex_lock(&lock);
    for (struct named *at = all; at; at = at->next)
        if (&at->semaphore == semaphore && at->uses)
        {
            at->uses--;
            leave(at);
            error = 0;
            break;
        }
    pthread_mutex_unlock(&lock);
    if (error)
        errno = error;
    return error ? -1 : 0;
}

int sem_unlink(const char *name)
{
    const char *rest = checked(name);
    struct named *found = 0;
    pthread_mutex_lock(&lock);
    if (rest && (found = find(rest)))
    {
        found->linked = 0;
        leave(found);
    }
    pthread_mutex_unlock(&lock);
    if (!found)
        errno = rest ? ENOENT : EINVAL;
    return found ? 0 : -1;
}
