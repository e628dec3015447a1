// Message queues. There is no other process, so a name leads to an object of this one, which lives until it is unlinked and each use
// is closed. What a thread did before an operation on a queue happens before later operations of others on it. A descriptor is a real
// one, from which nothing can be read.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    long room, size, count;
    struct message *first; // the one to be received next
    struct queue *next;
    unsigned uses;
    int linked;
    char name[];
};

struct use
{
    struct use *next;
    struct queue *queue;
    int fd, access, waits;
};

static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;
static struct queue *queues;
static struct use *uses;

static int refused(int error)
{
    errno = error;
    return -1;
}

static struct queue *named(const char *name)
{
    struct queue *at = queues;
    while (at && !(at->linked && !strcmp(at->name, name)))
        at = at->next;
    return at;
}

static void leave(struct queue *gone)
{
    struct queue **at = &queues;
    if (gone->uses || gone->linked)
        return;
    while (*at != gone)
        at = &(*at)->next;
    *at = gone->next;
    while (gone->first)
    {
        struct message *message = gone->first;
        gone->first = message->next;
        free(message);
    }
    pthread_mutex_destroy(&gone->lock);
    pthread_cond_destroy(&gone->filled);
    pthread_cond_destroy(&gone->emptied);
    free(gone);
}

static struct queue *made(const char *name, const struct mq_attr *wanted)
{
    if (wanted && (wanted->mq_maxmsg <= 0 || wanted->mq_msgsize <= 0))
        return refused(EINVAL), NULL;
    if (wanted && (wanted->mq_maxmsg > MESSAGES || wanted->mq_msgsize > BYTES))
        return refused(EINVAL), NULL;
    struct queue *queue = malloc(sizeof *queue + strlen(name) + 1);
    memset(queue, 0, sizeof *queue);
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->filled, NULL);
    pthread_cond_init(&queue->emptied, NULL);
    queue->room = wanted ? wanted->mq_maxmsg : MESSAGES;
    queue->size = wanted ? wanted->mq_msgsize : BYTES;
    queue->linked = 1;
    strcpy(queue->name, name);
    queue->next = queues;
    queues = queue;
    return queue;
}

static int opened(const char *name, int flags, const struct mq_attr *wanted)
{
    struct queue *queue = named(name);
    if (queue && flags & O_CREAT && flags & O_EXCL)
        return refused(EEXIST);
    if (!queue && !(flags & O_CREAT))
        return refused(ENOENT);
    int fd = __selvedge_queue_descriptor();
    if (fd < 0)
        return -1;
    if (!queue && !(queue = made(name, wanted)))
    {
        int error = errno;
        close(fd);
        return refused(error);
    }
    struct use *use = malloc(sizeof *use);
    *use = (struct use){uses, queue, fd, flags & O_ACCMODE, !(flags & O_NONBLOCK)};
    uses = use;
    queue->uses++;
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
    pthread_mutex_lock(&table);
    int fd = opened(name, flags, wanted);
    pthread_mutex_unlock(&table);
    return fd;
}

// What a descriptor stands for; null, with EBADF.
static struct use *of(mqd_t fd)
{
    pthread_mutex_lock(&table);
    struct use *use = uses;
    while (use && use->fd != fd)
        use = use->next;
    pthread_mutex_unlock(&table);
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
    struct use *use = of(fd);
    if (!use)
        return -1;
    pthread_mutex_lock(&table);
    struct use **at = &uses;
    while (*at != use)
        at = &(*at)->next;
    *at = use->next;
    use->queue->uses--;
    leave(use->queue);
    free(use);
    pthread_mutex_unlock(&table);
    return close(fd);
}

int mq_unlink(const char *name)
{
    if (*name != '/')
        return refused(EINVAL);
    if (strchr(name + 1, '/'))
        return refused(EACCES);
    pthread_mutex_lock(&table);
    struct queue *queue = named(name);
    if (queue)
    {
        queue->linked = 0;
        leave(queue);
    }
    pthread_mutex_unlock(&table);
    return queue ? 0 : refused(ENOENT);
}

int mq_getattr(mqd_t fd, struct mq_attr *now)
{
    struct use *use = of(fd);
    if (!use)
        return -1;
    pthread_mutex_lock(&use->queue->lock);
    memset(now, 0, sizeof *now);
    now->mq_flags = use->waits ? 0 : O_NONBLOCK;
    now->mq_maxmsg = use->queue->room;
    now->mq_msgsize = use->queue->size;
    now->mq_curmsgs = use->queue->count;
    pthread_mutex_unlock(&use->queue->lock);
    return 0;
}

int mq_setattr(mqd_t fd, const struct mq_attr *restrict wanted, struct mq_attr *restrict before)
{
    struct use *use = of(fd);
    if (!use)
        return -1;
    if (wanted->mq_flags & ~O_NONBLOCK)
        return refused(EINVAL);
    if (before)
        mq_getattr(fd, before);
    pthread_mutex_lock(&use->queue->lock);
    use->waits = !(wanted->mq_flags & O_NONBLOCK);
    pthread_mutex_unlock(&use->queue->lock);
    return 0;
}

static void unlock(void *lock) { pthread_mutex_unlock(lock); }

// Waits until there is room, or a message; 0 or the error number. The queue is locked before and after.
static int await(struct use *use, int full, const struct timespec *until)
{
    struct queue *queue = use->queue;
    pthread_cond_t *changed = full ? &queue->emptied : &queue->filled;
    long limit = full ? queue->room : 0;
    int error = 0;
    if (queue->count == limit && !use->waits)
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
    struct use *use = of(fd);
    if (!use || use->access == O_RDONLY)
        return refused(EBADF);
    struct queue *queue = use->queue;
    if (size > (size_t)queue->size)
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
    struct use *use = of(fd);
    if (!use || use->access == O_WRONLY)
        return refused(EBADF);
    struct queue *queue = use->queue;
    if (room < (size_t)queue->size)
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
