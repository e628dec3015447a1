// Waiting on atomics in libc++ by the system call futex, and the arrivals of std::barrier.
#include <atomic>
#include <barrier>
#include <limits.h>
#include <linux/futex.h>
#include <semaphore>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

_LIBCPP_BEGIN_NAMESPACE_STD

static void wait_for_change(const void *word, int value, const timespec *time)
{
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, time, nullptr, 0);
}

static void wait_for_change(const void *word, int value, uint64_t nanoseconds)
{
    // A time that is over may be given as a negative number.
    if (nanoseconds > INT64_MAX)
        nanoseconds = 0;
    const timespec time = {static_cast<time_t>(nanoseconds / 1000000000), static_cast<long>(nanoseconds % 1000000000)};
    wait_for_change(word, value, &time);
}

static void wake(const void *word, int most)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, most, nullptr, nullptr, 0);
}

// ---- an object that is a futex itself

template <> void __atomic_wait_native<4>(const void *word, const void *value) noexcept
{
    wait_for_change(word, *static_cast<const int *>(value), nullptr);
}

template <> void __atomic_wait_native_with_timeout<4>(const void *word, const void *value, uint64_t nanoseconds) noexcept
{
    wait_for_change(word, *static_cast<const int *>(value), nanoseconds);
}

template <> void __atomic_notify_one_native<4>(const void *word) noexcept
{
    wake(word, 1);
}

template <> void __atomic_notify_all_native<4>(const void *word) noexcept
{
    wake(word, INT_MAX);
}

// ---- any other object: one of these words stands for it
//
// A word is odd if somebody may wait for it: who is about to wait makes it odd, then looks at the object, and waits while the word stays as
// it is. Who has changed the object looks at the word, and makes it even and wakes all if it is odd. One of both sees what the other has
// written, because the machine takes atomic accesses of every order in one order. So they are relaxed here: neither a notification nor a wait
// orders threads, and not those of different objects above all; what the waiter reads of the object does. All are woken, because several
// objects may have the same word.

static constexpr size_t words = 64;
static int word_of[words];

static int *find(const void *object)
{
    return &word_of[(reinterpret_cast<uintptr_t>(object) >> 2) % words];
}

__cxx_contention_t __atomic_monitor_global(const void *object) noexcept
{
    int *word = find(object);
    int value = __atomic_load_n(word, __ATOMIC_RELAXED);
    if (!(value & 1))
        value = __atomic_fetch_or(word, 1, __ATOMIC_RELAXED) | 1;
    return value;
}

void __atomic_wait_global_table(const void *object, __cxx_contention_t value) noexcept
{
    wait_for_change(find(object), value, nullptr);
}

void __atomic_wait_global_table_with_timeout(const void *object, __cxx_contention_t value, uint64_t nanoseconds) noexcept
{
    wait_for_change(find(object), value, nanoseconds);
}

void __atomic_notify_all_global_table(const void *object) noexcept
{
    int *word = find(object);
    int value = __atomic_load_n(word, __ATOMIC_RELAXED);
    // If it has changed since, who changed it wakes those who waited.
    const int next = static_cast<int>(static_cast<unsigned>(value) + 1);
    if ((value & 1) && __atomic_compare_exchange_n(word, &value, next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        wake(word, INT_MAX);
}

void __atomic_notify_one_global_table(const void *object) noexcept
{
    __atomic_notify_all_global_table(object);
}

// ---- barrier

class __barrier_algorithm_base {
public:
    const ptrdiff_t &expected; // the barrier's; the last who arrives changes it
    ptrdiff_t arrived;

    explicit __barrier_algorithm_base(const ptrdiff_t &count) : expected(count), arrived(0) {}
};

__barrier_algorithm_base *__construct_barrier_algorithm_base(ptrdiff_t &expected)
{
    return new __barrier_algorithm_base(expected);
}

// Whether it is the last one of this phase. The next phase begins when the caller says so. The last one knows of all arrivals,
// and nobody else of any ([thread.barrier.class]).
bool __arrive_barrier_algorithm_base(_LIBCPP_NOESCAPE __barrier_algorithm_base *barrier, __barrier_phase_t) noexcept
{
    const ptrdiff_t all = barrier->expected;
    if (__atomic_add_fetch(&barrier->arrived, 1, __ATOMIC_RELEASE) != all)
        return false;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    __atomic_store_n(&barrier->arrived, 0, __ATOMIC_RELAXED);
    return true;
}

void __destroy_barrier_algorithm_base(_LIBCPP_NOESCAPE __barrier_algorithm_base *barrier) noexcept
{
    delete barrier;
}

_LIBCPP_END_NAMESPACE_STD
