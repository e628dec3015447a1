// Futures of libc++: the state that a promise and its futures share, and those of void.
#include <future>

_LIBCPP_BEGIN_NAMESPACE_STD

void __assoc_sub_state::__on_zero_shared() noexcept
{
    delete this;
}

void __assoc_sub_state::set_value()
{
    lock_guard<mutex> lock(__mut_);
    if (__has_value())
        __throw_future_error(future_errc::promise_already_satisfied);
    __state_ |= __constructed | ready;
    __cv_.notify_all();
}

void __assoc_sub_state::set_value_at_thread_exit()
{
    lock_guard<mutex> lock(__mut_);
    if (__has_value())
        __throw_future_error(future_errc::promise_already_satisfied);
    __state_ |= __constructed;
    __thread_local_data()->__make_ready_at_thread_exit(this);
}

void __assoc_sub_state::set_exception(exception_ptr exception)
{
    lock_guard<mutex> lock(__mut_);
    if (__has_value())
        __throw_future_error(future_errc::promise_already_satisfied);
    __exception_ = std::move(exception);
    __state_ |= ready;
    __cv_.notify_all();
}

void __assoc_sub_state::set_exception_at_thread_exit(exception_ptr exception)
{
    lock_guard<mutex> lock(__mut_);
    if (__has_value())
        __throw_future_error(future_errc::promise_already_satisfied);
    __exception_ = std::move(exception);
    __thread_local_data()->__make_ready_at_thread_exit(this);
}

// Notifies while it has the lock: who waits may free the state as soon as it sees that it is ready.
void __assoc_sub_state::__make_ready()
{
    lock_guard<mutex> lock(__mut_);
    __state_ |= ready;
    __cv_.notify_all();
}

void __assoc_sub_state::copy()
{
    unique_lock<mutex> lock(__mut_);
    __sub_wait(lock);
    if (__exception_ != nullptr)
        rethrow_exception(__exception_);
}

void __assoc_sub_state::wait()
{
    unique_lock<mutex> lock(__mut_);
    __sub_wait(lock);
}

// The first who waits for a deferred function calls it, without the lock.
void __assoc_sub_state::__sub_wait(unique_lock<mutex> &lock)
{
    if (!__is_ready() && (__state_ & deferred)) {
        __state_ &= ~static_cast<unsigned>(deferred);
        lock.unlock();
        __execute();
        return;
    }
    while (!__is_ready())
        __cv_.wait(lock);
}

void __assoc_sub_state::__execute()
{
    __throw_future_error(future_errc::no_state);
}

// ---- future<void>, shared_future<void>

future<void>::future(__assoc_sub_state *state) : __state_(state)
{
    __state_->__attach_future();
}

future<void>::~future()
{
    if (__state_)
        __state_->__release_shared();
}

void future<void>::get()
{
    unique_ptr<__shared_count, __release_shared_count> holder(__state_);
    __assoc_sub_state *state = __state_;
    __state_ = nullptr;
    state->copy();
}

shared_future<void>::~shared_future()
{
    if (__state_)
        __state_->__release_shared();
}

shared_future<void> &shared_future<void>::operator=(const shared_future &other)
{
    if (other.__state_)
        other.__state_->__add_shared();
    if (__state_)
        __state_->__release_shared();
    __state_ = other.__state_;
    return *this;
}

// ---- promise<void>

promise<void>::promise() : __state_(new __assoc_sub_state) {}

promise<void>::~promise()
{
    if (!__state_)
        return;
    if (!__state_->__has_value() && __state_->use_count() > 1)
        __state_->set_exception(make_exception_ptr(future_error(future_errc::broken_promise)));
    __state_->__release_shared();
}

static __assoc_sub_state *existing(__assoc_sub_state *state)
{
    if (!state)
        __throw_future_error(future_errc::no_state);
    return state;
}

future<void> promise<void>::get_future()
{
    return future<void>(existing(__state_));
}

void promise<void>::set_value()
{
    existing(__state_)->set_value();
}

void promise<void>::set_exception(exception_ptr exception)
{
    existing(__state_)->set_exception(std::move(exception));
}

void promise<void>::set_value_at_thread_exit()
{
    existing(__state_)->set_value_at_thread_exit();
}

void promise<void>::set_exception_at_thread_exit(exception_ptr exception)
{
    existing(__state_)->set_exception_at_thread_exit(std::move(exception));
}

_LIBCPP_END_NAMESPACE_STD
