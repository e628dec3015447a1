// What happens at the end of a thread by request: std::notify_all_at_thread_exit, and promises and tasks that become ready then.
//
// After the destructors of thread-local variables: libstdc++ uses a key of thread-specific data, too.
#include <condition_variable>
#include <future>
#include <mutex>
#include <pthread.h>
#include <stdlib.h>

namespace std {

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void run(void *list)
{
    for (auto *each = static_cast<__at_thread_exit_elt *>(list); each;) {
        auto *next = each->_M_next;
        each->_M_cb(each);
        each = next;
    }
}

// The thread that ends the process has no destructors of keys.
static void run_at_exit(void)
{
    void *list = pthread_getspecific(key);
    pthread_setspecific(key, nullptr);
    run(list);
}

static void make_key(void)
{
    pthread_key_create(&key, run);
    atexit(run_at_exit);
}

static void at_thread_exit(__at_thread_exit_elt *element)
{
    pthread_once(&once, make_key);
    element->_M_next = static_cast<__at_thread_exit_elt *>(pthread_getspecific(key));
    pthread_setspecific(key, element);
}

namespace {

struct Notifier final : __at_thread_exit_elt {
    condition_variable *condition;
    mutex *locked;
};

void notify(void *of)
{
    auto *notifier = static_cast<Notifier *>(of);
    notifier->locked->unlock();
    notifier->condition->notify_all();
    delete notifier;
}

} // namespace

void notify_all_at_thread_exit(condition_variable &condition, unique_lock<mutex> lock)
{
    auto *notifier = new Notifier;
    notifier->condition = &condition;
    notifier->locked = lock.release();
    notifier->_M_cb = notify;
    at_thread_exit(notifier);
}

void __future_base::_State_baseV2::_Make_ready::_S_run(void *of)
{
    auto *ready = static_cast<_Make_ready *>(of);
    if (auto state = ready->_M_shared_state.lock())
        state->_M_status._M_store_notify_all(_Status::__ready, memory_order_release);
    delete ready;
}

void __future_base::_State_baseV2::_Make_ready::_M_set()
{
    _M_cb = _S_run;
    at_thread_exit(this);
}

} // namespace std
