// Message queues. There is no other process, so a name leads to an object of this one, which lives until it is unlinked and each use
// is closed. What a thread did before it sent, received, or asked for the state of a queue happens before later such operations of others
// on this queue; opening, closing and unlinking order nothing (tables.h). A descriptor is a real one, from which nothing can be read.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tables.h"

void __selvedge_unsupported(const char *what);
// A descriptor that stands for a message queue; -1 with errno set.
int __selvedge_queue_descriptor(void);

// What the kernel allows to users without privileges, and gives if nothing is said.
#define MESSAGES 10
#define BYTES 8192
#define PRIORITIES 32768

struct message
{
    struct message *next;
    unsigned priority;
    size_t size;
    char bytes[];
};

struct queue
{
    pthread_mutex_t lock;
    pthread_cond_t filled, emptied;
    long count;
    struct message *first; // the one to be received next
};

enum { QUEUES = 32, DESCRIPTORS = 1024 };

static struct queue queues[QUEUES];

static _Atomic int table;
// Which queues have a name, and how often each is open. Neither: it is free.
static _Atomic unsigned linked;
static _Atomic unsigned opens[QUEUES];
static struct table_name names[QUEUES];
// Of each queue: how many messages it has room for, and their size.
static _Atomic unsigned long shapes[QUEUES];
// Of each descriptor: which queue it is for, the queue's shape, and the flags of mq_open.
static _Atomic unsigned long uses[DESCRIPTORS];
enum { IS_OPEN = 1, WAITS = 2, ACCESS = 2, QUEUE = 8, ROOM = 16, SIZE = 32 };

static struct queue *queue_of(unsigned long use) { return &queues[use >> QUEUE & 255]; }
static long room_of(unsigned long use) { return use >> ROOM & 65535; }
static size_t size_of(unsigned long use) { return use >> SIZE; }
static int access_of(unsigned long use) { return use >> ACCESS & O_ACCMODE; }

static int refused(int error)
{
    errno = error;
    return -1;
}

// The queue of a name; -1: there is none.
static int find(const struct name *name)
{
    for (unsigned left = TABLE_GET(linked); left; left &= left - 1)
        if (table_has_name(&names[__builtin_ctz(left)], name))
            return __builtin_ctz(left);
    return -1;
}

static void leave(int place)
{
    struct queue *gone = &queues[place];
    if (TABLE_GET(opens[place]) || TABLE_GET(linked) >> place & 1)
        return;
    pthread_mutex_lock(&gone->lock);
    while (gone->first)
    {
        struct message *message = gone->first;
        gone->first = message->next;
        free(message);
    }
    gone->count = 0;
    pthread_mutex_unlock(&gone->lock);
    pthread_mutex_destroy(&gone->lock);
    pthread_cond_destroy(&gone->filled);
    pthread_cond_destroy(&gone->emptied);
}

static int made(const struct name *name, long room, long size)
{
    unsigned all = TABLE_GET(linked);
    int place = 0;
    while (place < QUEUES && (all >> place & 1 || TABLE_GET(opens[place])))
        place++;
    if (place == QUEUES)
        __selvedge_unsupported("more than 32 message queues at a time");
    pthread_mutex_init(&queues[place].lock, NULL);
    pthread_cond_init(&queues[place].filled, NULL);
    pthread_cond_init(&queues[place].emptied, NULL);
    TABLE_SET(shapes[place], (unsigned long)room << ROOM | (unsigned long)size << SIZE);
    table_set_name(&names[place], name);
    TABLE_SET(linked, all | 1u << place);
    return place;
}

static int opened(const struct name *name, int flags, long room, long size)
{
    int place = find(name);
    if (place >= 0 && flags & O_CREAT && flags & O_EXCL)
        return refused(EEXIST);
    if (place < 0 && !(flags & O_CREAT))
        return refused(ENOENT);
    if (place < 0 && (room <= 0 || size <= 0 || room > MESSAGES || size > BYTES))
        return refused(EINVAL);
    int fd = __selvedge_queue_descriptor();
    if (fd < 0)
        return -1;
    if (fd >= DESCRIPTORS)
        __selvedge_unsupported("a message queue beside so many descriptors");
    if (place < 0)
        place = made(name, room, size);
    unsigned long mode = IS_OPEN | (flags & O_NONBLOCK ? 0 : WAITS) | (unsigned long)(flags & O_ACCMODE) << ACCESS;
    TABLE_SET(uses[fd], mode | (unsigned long)place << QUEUE | TABLE_GET(shapes[place]));
    TABLE_ADD(opens[place], 1);
    return fd;
}

mqd_t mq_open(const char *name, int flags, ...)
{
    const struct mq_attr *wanted = NULL;
    if (flags & O_CREAT)
    {
        va_list values;
        va_start(values, flags);
        (void)va_arg(values, mode_t);
        wanted = va_arg(values, const struct mq_attr *);
        va_end(values);
    }
    if (*name != '/')
        return refused(EINVAL);
    if (!name[1])
        return refused(ENOENT);
    if (strchr(name + 1, '/'))
        return refused(EACCES);
    if (strlen(name + 1) > 255)
        return refused(ENAMETOOLONG);
    struct name text = name_of(name + 1);
    long room = wanted ? wanted->mq_maxmsg : MESSAGES, size = wanted ? wanted->mq_msgsize : BYTES;
    table_lock(&table);
    int fd = opened(&text, flags, room, size);
    table_unlock(&table);
    return fd;
}

// What a descriptor stands for; 0, with EBADF.
static unsigned long of(mqd_t fd)
{
    unsigned long use = fd >= 0 && fd < DESCRIPTORS ? TABLE_GET(uses[fd]) : 0;
    if (!use)
    {
        if (fcntl(fd, F_GETFL) >= 0)
            __selvedge_unsupported("a function of message queues on a descriptor that mq_open has not returned");
        errno = EBADF;
    }
    return use;
}

int mq_close(mqd_t fd)
{
    unsigned long use = of(fd);
    if (!use)
        return -1;
    table_lock(&table);
    use = TABLE_GET(uses[fd]);
    if (use)
    {
        int place = (int)(queue_of(use) - queues);
        TABLE_SET(uses[fd], 0);
        TABLE_ADD(opens[place], -1u);
        leave(place);
    }
    table_unlock(&table);
    return use ? close(fd) : refused(EBADF);
}

int mq_unlink(const char *name)
{
    if (*name != '/')
        return refused(EINVAL);
    if (strchr(name + 1, '/'))
        return refused(EACCES);
    if (strlen(name + 1) > 255)
        return refused(ENAMETOOLONG);
    struct name gone = name_of(name + 1);
    table_lock(&table);
    int place = find(&gone);
    if (place >= 0)
    {
        TABLE_SET(linked, TABLE_GET(linked) & ~(1u << place));
        leave(place);
    }
    table_unlock(&table);
    return place >= 0 ? 0 : refused(ENOENT);
}

int mq_getattr(mqd_t fd, struct mq_attr *now)
{
    unsigned long use = of(fd);
    if (!use)
        return -1;
    pthread_mutex_lock(&queue_of(use)->lock);
    long count = queue_of(use)->count;
    pthread_mutex_unlock(&queue_of(use)->lock);
    memset(now, 0, sizeof *now);
    now->mq_flags = use & WAITS ? 0 : O_NONBLOCK;
    now->mq_maxmsg = room_of(use);
    now->mq_msgsize = (long)size_of(use);
    now->mq_curmsgs = count;
    return 0;
}

int mq_setattr(mqd_t fd, const struct mq_attr *restrict wanted, struct mq_attr *restrict before)
{
    unsigned long use = of(fd);
    if (!use)
        return -1;
    if (wanted->mq_flags & ~O_NONBLOCK)
        return refused(EINVAL);
    int waits = !(wanted->mq_flags & O_NONBLOCK);
    if (before)
        mq_getattr(fd, before);
    table_lock(&table);
    use = TABLE_GET(uses[fd]);
    if (use)
        TABLE_SET(uses[fd], waits ? use | WAITS : use & ~(unsigned long)WAITS);
    table_unlock(&table);
    return use ? 0 : refused(EBADF);
}

static void unlock(void *lock) { pthread_mutex_unlock(lock); }

// Waits until there is room, or a message; 0 or the error number. The queue is locked before and after.
static int await(unsigned long use, int full, const struct timespec *until)
{
    struct queue *queue = queue_of(use);
    pthread_cond_t *changed = full ? &queue->emptied : &queue->filled;
    long limit = full ? room_of(use) : 0;
    int error = 0;
    if (queue->count == limit && !(use & WAITS))
        return EAGAIN;
    // Nothing changes in a round of the loop, so waking for nothing leads back to the same state.
    pthread_cleanup_push(unlock, &queue->lock);
    while (!error && queue->count == limit)
        error = until ? pthread_cond_timedwait(changed, &queue->lock, until) : pthread_cond_wait(changed, &queue->lock);
    pthread_cleanup_pop(0);
    return error;
}

static int is_time(const struct timespec *time)
{
    return !time || (time->tv_sec >= 0 && time->tv_nsec >= 0 && time->tv_nsec < 1000000000);
}

static int sent(mqd_t fd, const char *bytes, size_t size, unsigned priority, const struct timespec *until)
{
    if (priority >= PRIORITIES || !is_time(until))
        return refused(EINVAL);
    unsigned long use = of(fd);
    if (!use || access_of(use) == O_RDONLY)
        return refused(EBADF);
    struct queue *queue = queue_of(use);
    if (size > size_of(use))
        return refused(EMSGSIZE);
    pthread_testcancel();
    struct message *message = malloc(sizeof *message + size);
    message->priority = priority;
    message->size = size;
    memcpy(message->bytes, bytes, size);
    pthread_mutex_lock(&queue->lock);
    pthread_cleanup_push(free, message);
    int error = await(use, 1, until);
    if (error)
    {
        pthread_mutex_unlock(&queue->lock);
        free(message);
        return refused(error);
    }
    pthread_cleanup_pop(0);
    struct message **at = &queue->first;
    while (*at && (*at)->priority >= priority)
        at = &(*at)->next;
    message->next = *at;
    *at = message;
    queue->count++;
    pthread_cond_signal(&queue->filled);
    pthread_mutex_unlock(&queue->lock);
    return 0;
}

int mq_send(mqd_t fd, const char *bytes, size_t size, unsigned priority) { return sent(fd, bytes, size, priority, NULL); }

int mq_timedsend(mqd_t fd, const char *bytes, size_t size, unsigned priority, const struct timespec *until)
{
    return sent(fd, bytes, size, priority, until);
}

static ssize_t received(mqd_t fd, char *to, size_t room, unsigned *priority, const struct timespec *until)
{
    if (!is_time(until))
        return refused(EINVAL);
    unsigned long use = of(fd);
    if (!use || access_of(use) == O_WRONLY)
        return refused(EBADF);
    struct queue *queue = queue_of(use);
    if (room < size_of(use))
        return refused(EMSGSIZE);
    pthread_testcancel();
    pthread_mutex_lock(&queue->lock);
    int error = await(use, 0, until);
    if (error)
    {
        pthread_mutex_unlock(&queue->lock);
        return refused(error);
    }
    struct message *message = queue->first;
    queue->first = message->next;
    queue->count--;
    pthread_cond_signal(&queue->emptied);
    pthread_mutex_unlock(&queue->lock);
    ssize_t size = (ssize_t)message->size;
    memcpy(to, message->bytes, message->size);
    if (priority)
        *priority = message->priority;
    free(message);
    return size;
}

ssize_t mq_receive(mqd_t fd, char *to, size_t room, unsigned *priority) { return received(fd, to, room, priority, NULL); }

ssize_t mq_timedreceive(mqd_t fd, char *restrict to, size_t room, unsigned *restrict priority, const struct timespec *restrict until)
{
    return received(fd, to, room, priority, until);
}
