// std::call_once, and the waiting of futures: what libstdc++ keeps out of headers.
#include <future>
#include <mutex>
#include <pthread.h>

namespace std {

__thread void *__once_callable;
__thread void (*__once_call)();

extern "C" void __once_proxy(void)
{
    __once_call();
}

__future_base::_Result_base::_Result_base() = default;
__future_base::_Result_base::~_Result_base() = default;

// A waiter sleeps until the word has another value. Who changes it notifies if the value says that somebody waits.
static pthread_mutex_t futex_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t futex_changed = PTHREAD_COND_INITIALIZER;

static bool wait(unsigned *word, unsigned value, bool ends, clockid_t clock, chrono::seconds s, chrono::nanoseconds ns)
{
    const timespec end = {static_cast<time_t>(s.count()), static_cast<long>(ns.count())};
    int ended = 0;
    pthread_mutex_lock(&futex_lock);
    while (!ended && __atomic_load_n(word, __ATOMIC_ACQUIRE) == value)
        ended = ends ? pthread_cond_clockwait(&futex_changed, &futex_lock, clock, &end) : pthread_cond_wait(&futex_changed, &futex_lock);
    pthread_mutex_unlock(&futex_lock);
    return !ended;
}

bool __atomic_futex_unsigned_base::_M_futex_wait_until(unsigned *word, unsigned value, bool ends, chrono::seconds s,
                                                       chrono::nanoseconds ns)
{
    return wait(word, value, ends, CLOCK_REALTIME, s, ns);
}

bool __atomic_futex_unsigned_base::_M_futex_wait_until_steady(unsigned *word, unsigned value, bool ends, chrono::seconds s,
                                                              chrono::nanoseconds ns)
{
    return wait(word, value, ends, CLOCK_MONOTONIC, s, ns);
}

void __atomic_futex_unsigned_base::_M_futex_notify_all(unsigned *)
{
    pthread_mutex_lock(&futex_lock);
    pthread_cond_broadcast(&futex_changed);
    pthread_mutex_unlock(&futex_lock);
}

} // namespace std
