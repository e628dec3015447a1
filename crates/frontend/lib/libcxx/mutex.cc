// Mutexes of libc++: std::mutex and its kin, and what std::call_once keeps out of headers.
#include <limits.h>
#include <linux/futex.h>
#include <mutex>
#include <shared_mutex>
#include <string.h>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>

_LIBCPP_BEGIN_NAMESPACE_STD

static void need(int error, const char *what)
{
    if (error)
        __throw_system_error(error, what);
}

void mutex::lock()
{
    need(pthread_mutex_lock(&__m_), "mutex lock failed");
}

bool mutex::try_lock() noexcept
{
    return pthread_mutex_trylock(&__m_) == 0;
}

void mutex::unlock() noexcept
{
    pthread_mutex_unlock(&__m_);
}

// ---- recursive_mutex

recursive_mutex::recursive_mutex()
{
    need(__libcpp_recursive_mutex_init(&__m_), "recursive_mutex constructor failed");
}

recursive_mutex::~recursive_mutex()
{
    pthread_mutex_destroy(&__m_);
}

void recursive_mutex::lock()
{
    need(pthread_mutex_lock(&__m_), "recursive_mutex lock failed");
}

bool recursive_mutex::try_lock() noexcept
{
    return pthread_mutex_trylock(&__m_) == 0;
}

void recursive_mutex::unlock() noexcept
{
    pthread_mutex_unlock(&__m_);
}

// ---- mutexes with time-outs: the header waits for __cv_ until nobody holds them

timed_mutex::timed_mutex() : __locked_(false) {}
timed_mutex::~timed_mutex() = default;

void timed_mutex::lock()
{
    unique_lock<mutex> inner(__m_);
    while (__locked_)
        __cv_.wait(inner);
    __locked_ = true;
}

bool timed_mutex::try_lock() noexcept
{
    unique_lock<mutex> inner(__m_);
    if (__locked_)
        return false;
    __locked_ = true;
    return true;
}

void timed_mutex::unlock() noexcept
{
    lock_guard<mutex> inner(__m_);
    __locked_ = false;
    __cv_.notify_one();
}

recursive_timed_mutex::recursive_timed_mutex() : __count_(0), __id_() {}
recursive_timed_mutex::~recursive_timed_mutex() = default;

void recursive_timed_mutex::lock()
{
    const __thread_id own = this_thread::get_id();
    unique_lock<mutex> inner(__m_);
    if (__count_ && __id_ == own) {
        if (__count_ == numeric_limits<size_t>::max())
            need(EAGAIN, "recursive_timed_mutex lock limit reached");
        ++__count_;
        return;
    }
    while (__count_)
        __cv_.wait(inner);
    __count_ = 1;
    __id_ = own;
}

bool recursive_timed_mutex::try_lock() noexcept
{
    const __thread_id own = this_thread::get_id();
    unique_lock<mutex> inner(__m_);
    if (__count_ && (__id_ != own || __count_ == numeric_limits<size_t>::max()))
        return false;
    ++__count_;
    __id_ = own;
    return true;
}

void recursive_timed_mutex::unlock() noexcept
{
    lock_guard<mutex> inner(__m_);
    if (--__count_ == 0) {
        __id_ = __thread_id();
        __cv_.notify_one();
    }
}

// ---- shared_mutex: a read-write lock in the place of the mutex and what follows it
//
// shared_timed_mutex has the same members, but the header waits for its two gates; so it has functions of its own.

static_assert(sizeof(pthread_rwlock_t) <= sizeof(__shared_mutex_base));

static pthread_rwlock_t *whole(__shared_mutex_base *base)
{
    return reinterpret_cast<pthread_rwlock_t *>(base);
}

// Zeros are what initialises each of them statically.
__shared_mutex_base::__shared_mutex_base() : __state_(0)
{
    memset(static_cast<void *>(this), 0, sizeof *this);
}

void __shared_mutex_base::lock()
{
    need(pthread_rwlock_wrlock(whole(this)), "shared_mutex lock failed");
}

bool __shared_mutex_base::try_lock()
{
    return pthread_rwlock_trywrlock(whole(this)) == 0;
}

void __shared_mutex_base::unlock()
{
    pthread_rwlock_unlock(whole(this));
}

void __shared_mutex_base::lock_shared()
{
    need(pthread_rwlock_rdlock(whole(this)), "shared_mutex lock_shared failed");
}

bool __shared_mutex_base::try_lock_shared()
{
    return pthread_rwlock_tryrdlock(whole(this)) == 0;
}

void __shared_mutex_base::unlock_shared()
{
    pthread_rwlock_unlock(whole(this));
}

// The highest bit of the state says that a writer has it or waits for the readers to leave; the others count readers.
// Who finds a writer waits at the first gate, a writer that finds readers at the second one.

shared_timed_mutex::shared_timed_mutex() = default;

void shared_timed_mutex::lock()
{
    unique_lock<mutex> inner(__base_.__mut_);
    while (__base_.__state_ & __base_.__write_entered_)
        __base_.__gate1_.wait(inner);
    __base_.__state_ |= __base_.__write_entered_;
    while (__base_.__state_ & __base_.__n_readers_)
        __base_.__gate2_.wait(inner);
}

bool shared_timed_mutex::try_lock()
{
    unique_lock<mutex> inner(__base_.__mut_);
    if (__base_.__state_)
        return false;
    __base_.__state_ = __base_.__write_entered_;
    return true;
}

void shared_timed_mutex::unlock()
{
    lock_guard<mutex> inner(__base_.__mut_);
    __base_.__state_ = 0;
    __base_.__gate1_.notify_all();
}

void shared_timed_mutex::lock_shared()
{
    unique_lock<mutex> inner(__base_.__mut_);
    while (__base_.__state_ >= __base_.__n_readers_)
        __base_.__gate1_.wait(inner);
    ++__base_.__state_;
}

bool shared_timed_mutex::try_lock_shared()
{
    unique_lock<mutex> inner(__base_.__mut_);
    if (__base_.__state_ >= __base_.__n_readers_)
        return false;
    ++__base_.__state_;
    return true;
}

void shared_timed_mutex::unlock_shared()
{
    lock_guard<mutex> inner(__base_.__mut_);
    const unsigned before = __base_.__state_--;
    if (before == (__base_.__write_entered_ | 1))
        __base_.__gate2_.notify_one();
    else if (before == __base_.__n_readers_)
        __base_.__gate1_.notify_one();
}

// ---- call_once
//
// The header calls this unless it finds that the flag is _Complete. Whoever finds that another thread runs the function waits
// for the end of that. The library has a mutex and a condition variable for all flags, and promises no order by these.

static int *word_of(volatile once_flag::_State_type &flag)
{
    return reinterpret_cast<int *>(const_cast<once_flag::_State_type *>(&flag));
}

static void end_call(volatile once_flag::_State_type &flag, once_flag::_State_type state)
{
    __atomic_store_n(&flag, state, __ATOMIC_RELEASE);
    syscall(SYS_futex, word_of(flag), FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

void __call_once(volatile once_flag::_State_type &flag, void *argument, void (*function)(void *))
{
    for (;;) {
        once_flag::_State_type state = once_flag::_Unset;
        if (__atomic_compare_exchange_n(&flag, &state, once_flag::_Pending, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
            break;
        if (state == once_flag::_Complete)
            return;
        syscall(SYS_futex, word_of(flag), FUTEX_WAIT_PRIVATE, static_cast<int>(once_flag::_Pending), nullptr, nullptr, 0);
    }
    try {
        function(argument);
    } catch (...) {
        end_call(flag, once_flag::_Unset);
        throw;
    }
    end_call(flag, once_flag::_Complete);
}

_LIBCPP_END_NAMESPACE_STD
