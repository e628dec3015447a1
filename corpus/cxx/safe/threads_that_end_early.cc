// pthread_exit and cancellation unwind the thread: destructors run, handlers of everything see it go by.
// variant: -DHOW=0
// variant: -DHOW=1
// variant: -DHOW=2
#include <cstdlib>
#include <cxxabi.h>
#include <mutex>
#include <pthread.h>
#include <semaphore.h>

static std::mutex lock;
static int ended, seen;
static sem_t never;

struct Note {
    int digit;
    ~Note() { ended = 10 * ended + digit; }
};

static void leave()
{
    Note note{2};
#if HOW == 1
    sem_wait(&never);
#else
    pthread_exit(&ended);
#endif
}

static void *body(void *)
{
    std::lock_guard<std::mutex> guard(lock);
    Note note{1};
    try {
        leave();
    } catch (const char *) {
        abort();
#if HOW == 2
    } catch (abi::__forced_unwind &) {
        seen++;
        throw;
#endif
    } catch (...) {
        seen++;
        throw;
    }
    abort();
}

int main()
{
    pthread_t thread;
    void *result;
    sem_init(&never, 0, 0);
    pthread_create(&thread, nullptr, body, nullptr);
#if HOW == 1
    pthread_cancel(thread);
    pthread_join(thread, &result);
    if (result != PTHREAD_CANCELED || (ended != 21 && ended != 0))
        abort();
#else
    pthread_join(thread, &result);
    if (result != &ended || ended != 21 || seen != 1)
        abort();
#endif
    std::lock_guard<std::mutex> guard(lock);
}
