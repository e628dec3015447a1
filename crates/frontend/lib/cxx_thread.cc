// std::call_once, and the waiting of futures: what libstdc++ keeps out of headers.
#include <errno.h>
#include <future>
#include <limits.h>
#include <linux/futex.h>
#include <mutex>
#include <sys/syscall.h>
#include <unistd.h>

extern "C" int __selvedge_futex_wait_until(unsigned *word, unsigned value, int ends, long seconds, long nanoseconds, int from_now, int own);
extern "C" int __selvedge_futexes_poll(void);

namespace std {

__thread void *__once_callable;
__thread void (*__once_call)();

extern "C" void __once_proxy(void)
{
    __once_call();
}

__future_base::_Result_base::_Result_base() = default;
__future_base::_Result_base::~_Result_base() = default;

// A waiter sleeps while the word has the value that it gives, or returns at once. Who changes the word notifies if it says that somebody
// waits. This is the system call futex, as in libstdc++, so nothing is ordered but what the word orders: a lock here would order the threads
// of all futures. The clock is the one that is nearest to the time.
static bool wait(unsigned *word, unsigned value, bool ends, chrono::seconds s, chrono::nanoseconds ns)
{
    if (ends && (s.count() < 0 || ns.count() < 0))
        return false;
    // A thread that woke for no reason comes back to the same state here, and not in its caller (crates/vm/src/causeless.rs). Its caller looks
    // again, too.
    int error;
    do
        error = __selvedge_futex_wait_until(word, value, ends, s.count(), ns.count(), false, false);
    while (!error && !__selvedge_futexes_poll() && __atomic_load_n(word, __ATOMIC_RELAXED) == value);
    return error != ETIMEDOUT;
}

bool __atomic_futex_unsigned_base::_M_futex_wait_until(unsigned *word, unsigned value, bool ends, chrono::seconds s,
                                                       chrono::nanoseconds ns)
{
    return wait(word, value, ends, s, ns);
}

bool __atomic_futex_unsigned_base::_M_futex_wait_until_steady(unsigned *word, unsigned value, bool ends, chrono::seconds s,
                                                              chrono::nanoseconds ns)
{
    return wait(word, value, ends, s, ns);
}

void __atomic_futex_unsigned_base::_M_futex_notify_all(unsigned *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

} // namespace std
