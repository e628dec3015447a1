// Shared pointers of libc++: their counts, and the locks of atomic_load and its kin for them; std::align.
#include <memory>
#include <pthread.h>
#include <stdint.h>
#include <utility>

extern "C" void __selvedge_unsupported(const char *);

_LIBCPP_BEGIN_NAMESPACE_STD

bad_weak_ptr::~bad_weak_ptr() noexcept = default;

const char *bad_weak_ptr::what() const noexcept
{
    return "bad_weak_ptr";
}

// Both counts are one less than there are owners. All shared owners together are one weak owner.

__shared_count::~__shared_count() = default;
__shared_weak_count::~__shared_weak_count() = default;

void __shared_weak_count::__release_weak() noexcept
{
    if (__libcpp_atomic_refcount_decrement(__shared_weak_owners_) == -1)
        __on_zero_shared_weak();
}

__shared_weak_count *__shared_weak_count::lock() noexcept
{
    long owners = __atomic_load_n(&__shared_owners_, __ATOMIC_ACQUIRE);
    while (owners != -1)
        if (__atomic_compare_exchange_n(&__shared_owners_, &owners, owners + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            return this;
    return nullptr;
}

const void *__shared_weak_count::__get_deleter(const type_info &) const noexcept
{
    return nullptr;
}

// ---- atomic_load(const shared_ptr<T> *), …

//
// The address of the pointer chooses one of a few locks. libc++ lets several pointers share a lock. Here a lock is for one pointer only: a
// shared one would order what the program does not order.

static constexpr size_t locks = 64;
static pthread_mutex_t lock_of[locks];
static const void *pointer_of[locks];

constexpr __sp_mut::__sp_mut(void *lock) noexcept : __lx_(lock) {}

void __sp_mut::lock() noexcept
{
    pthread_mutex_lock(static_cast<pthread_mutex_t *>(__lx_));
}

void __sp_mut::unlock() noexcept
{
    pthread_mutex_unlock(static_cast<pthread_mutex_t *>(__lx_));
}

__sp_mut &__get_sp_mut(const void *pointer)
{
    const size_t which = reinterpret_cast<uintptr_t>(pointer) / sizeof(shared_ptr<void>) % locks;
    const void *of = __atomic_load_n(&pointer_of[which], __ATOMIC_RELAXED);
    if (!of && __atomic_compare_exchange_n(&pointer_of[which], &of, pointer, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        of = pointer;
    if (of != pointer)
        __selvedge_unsupported("std::atomic_load and its kin for so many std::shared_ptr that two share a lock");
    // Only this function, and what is in it, may make such objects.
    const auto at = []<size_t... place>(size_t wanted, index_sequence<place...>) -> __sp_mut & {
        static constinit __sp_mut all[locks] = {&lock_of[place]...};
        return all[wanted];
    };
    return at(which, make_index_sequence<locks>());
}

void *align(size_t alignment, size_t size, void *&place, size_t &space)
{
    const uintptr_t start = reinterpret_cast<uintptr_t>(place);
    const size_t skipped = -start & (alignment - 1);
    if (space < skipped || space - skipped < size)
        return nullptr;
    space -= skipped;
    return place = static_cast<char *>(place) + skipped;
}

_LIBCPP_END_NAMESPACE_STD
