// Double-checked initialisation: look without the lock, and only if there is nothing yet, lock and look again.
//
//     selvedge check examples/double_checked.c
//
// What to see: false(no-data-race), both accesses with their stacks and with the locks held there: the second look is
// protected, the first one is not. Compile with -DATOMIC to publish the pointer with release and look with acquire: then
// it is verified.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct config {
    int level, size;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct config *config;

#ifdef ATOMIC
#define LOOK() __atomic_load_n(&config, __ATOMIC_ACQUIRE)
#define PUBLISH(made) __atomic_store_n(&config, made, __ATOMIC_RELEASE)
#else
#define LOOK() config
#define PUBLISH(made) (config = (made))
#endif

static struct config *get(void)
{
    struct config *found = LOOK();
    if (!found) {
        pthread_mutex_lock(&lock);
        found = LOOK();
        if (!found) {
            found = malloc(sizeof *found);
            found->level = 3;
            found->size = 80;
            PUBLISH(found);
        }
        pthread_mutex_unlock(&lock);
    }
    return found;
}

static void *use(void *unused)
{
    struct config *mine = get();
    assert(mine->level == 3 && mine->size == 80);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, use, 0);
    use(0);
    pthread_join(thread, 0);
    free(config);
    return 0;
}
