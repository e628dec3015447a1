// Threads and condition variables of libc++, and what they do when they end.
#include <condition_variable>
#include <future>
#include <mutex>
#include <system_error>
#include <thread>
#include <unistd.h>

_LIBCPP_BEGIN_NAMESPACE_STD

// ---- condition_variable

condition_variable::~condition_variable()
{
    pthread_cond_destroy(&__cv_);
}

void condition_variable::notify_one() noexcept
{
    pthread_cond_signal(&__cv_);
}

void condition_variable::notify_all() noexcept
{
    pthread_cond_broadcast(&__cv_);
}

void condition_variable::wait(unique_lock<mutex> &lock) noexcept
{
    if (!lock.owns_lock())
        __throw_system_error(EPERM, "condition_variable::wait: mutex not locked");
    if (int error = pthread_cond_wait(&__cv_, lock.mutex()->native_handle()))
        __throw_system_error(error, "condition_variable wait failed");
}

// Whether it has timed out, the callers ask the clock.
void condition_variable::__do_timed_wait(unique_lock<mutex> &lock,
                                         chrono::time_point<chrono::system_clock, chrono::nanoseconds> end) noexcept
{
    if (!lock.owns_lock())
        __throw_system_error(EPERM, "condition_variable::timed wait: mutex not locked");
    timespec time = std::__convert_to_timespec<timespec>(end.time_since_epoch());
    int error = pthread_cond_timedwait(&__cv_, lock.mutex()->native_handle(), &time);
    if (error && error != ETIMEDOUT)
        __throw_system_error(error, "condition_variable timed_wait failed");
}

// ---- thread

thread::~thread()
{
    if (joinable())
        terminate();
}

void thread::join()
{
    int error = EINVAL;
    if (joinable() && (error = pthread_join(__t_, nullptr)) == 0)
        __t_ = _LIBCPP_NULL_THREAD;
    if (error)
        __throw_system_error(error, "thread::join failed");
}

void thread::detach()
{
    int error = EINVAL;
    if (joinable() && (error = pthread_detach(__t_)) == 0)
        __t_ = _LIBCPP_NULL_THREAD;
    if (error)
        __throw_system_error(error, "thread::detach failed");
}

unsigned thread::hardware_concurrency() noexcept
{
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 0 ? 0 : static_cast<unsigned>(count);
}

namespace this_thread {

void sleep_for(const chrono::nanoseconds &time)
{
    if (time > chrono::nanoseconds::zero())
        __libcpp_thread_sleep_for(time);
}

} // namespace this_thread

// ---- what is left for the end of a thread

class __thread_struct_imp {
public:
    struct Later {
        Later *next;
        condition_variable *condition; // to be notified, after this is unlocked
        mutex *locked;
        __assoc_sub_state *state; // or what becomes ready then
    };
    Later *first = nullptr, **last = &first;

    void add(condition_variable *condition, mutex *locked, __assoc_sub_state *state)
    {
        *last = new Later{nullptr, condition, locked, state};
        last = &(*last)->next;
    }

    // First all conditions, then all states, as the library does it.
    ~__thread_struct_imp()
    {
        end(false);
        end(true);
    }

private:
    void end(bool states)
    {
        for (Later **at = &first; Later *later = *at;) {
            if ((later->state != nullptr) != states) {
                at = &later->next;
                continue;
            }
            *at = later->next;
            if (states) {
                later->state->__make_ready();
                later->state->__release_shared();
            } else {
                later->condition->notify_all();
                later->locked->unlock();
            }
            delete later;
        }
    }
};

__thread_specific_ptr<__thread_struct> &__thread_local_data()
{
    [[clang::no_destroy]] static __thread_specific_ptr<__thread_struct> data;
    return data;
}

// Makes the thread that creates another one make the key: so none of the new ones has to wait for it.
__thread_struct::__thread_struct() : __p_(nullptr)
{
    __thread_local_data();
}

__thread_struct::~__thread_struct()
{
    delete __p_;
}

static __thread_struct_imp *of(__thread_struct_imp *&things)
{
    if (!things)
        things = new __thread_struct_imp;
    return things;
}

void __thread_struct::notify_all_at_thread_exit(condition_variable *condition, mutex *locked)
{
    of(__p_)->add(condition, locked, nullptr);
}

void __thread_struct::__make_ready_at_thread_exit(__assoc_sub_state *state)
{
    state->__add_shared();
    of(__p_)->add(nullptr, nullptr, state);
}

void notify_all_at_thread_exit(condition_variable &condition, unique_lock<mutex> lock)
{
    __thread_specific_ptr<__thread_struct> &data = __thread_local_data();
    if (!data.get())
        data.set_pointer(new __thread_struct);
    data->notify_all_at_thread_exit(&condition, lock.release());
}

_LIBCPP_END_NAMESPACE_STD
