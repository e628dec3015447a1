// Memory resources of libc++ (std::pmr): those of new and delete, the one that has none, the default, and buffers that only grow. The pools are
// missing.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory_resource>
#include <new>

_LIBCPP_BEGIN_NAMESPACE_STD
namespace pmr {

memory_resource::~memory_resource() = default;

namespace {

class OfNew final : public memory_resource {
    void *do_allocate(size_t bytes, size_t alignment) override
    {
        if (alignment > __STDCPP_DEFAULT_NEW_ALIGNMENT__)
            return ::operator new(bytes, align_val_t(alignment));
        return ::operator new(bytes);
    }

    void do_deallocate(void *memory, size_t, size_t alignment) override
    {
        if (alignment > __STDCPP_DEFAULT_NEW_ALIGNMENT__)
            ::operator delete(memory, align_val_t(alignment));
        else
            ::operator delete(memory);
    }

    bool do_is_equal(const memory_resource &other) const noexcept override
    {
        return this == &other;
    }
};

class OfNothing final : public memory_resource {
    void *do_allocate(size_t, size_t) override
    {
        throw bad_alloc();
    }

    void do_deallocate(void *, size_t, size_t) override
    {
    }

    bool do_is_equal(const memory_resource &other) const noexcept override
    {
        return this == &other;
    }
};

// An object that is there before the program begins, and never ends: nothing is ordered by making it.
template <typename Resource> union Permanent {
    Resource resource;
    constexpr Permanent() : resource()
    {
    }
    ~Permanent()
    {
    }
};

[[clang::no_destroy]] Permanent<OfNew> of_new;
[[clang::no_destroy]] Permanent<OfNothing> of_nothing;
atomic<memory_resource *> chosen{&of_new.resource};

// From its end downwards: `next` is behind what is free.
void *taken(char *start, char *&next, size_t bytes, size_t alignment)
{
    if (!start || static_cast<size_t>(next - start) < bytes)
        return nullptr;
    char *memory = next - bytes;
    const size_t above = reinterpret_cast<uintptr_t>(memory) % alignment;
    if (static_cast<size_t>(memory - start) < above)
        return nullptr;
    next = memory - above;
    return next;
}

} // namespace

memory_resource *new_delete_resource() noexcept
{
    return &of_new.resource;
}

memory_resource *null_memory_resource() noexcept
{
    return &of_nothing.resource;
}

memory_resource *get_default_resource() noexcept
{
    return chosen.load();
}

memory_resource *set_default_resource(memory_resource *resource) noexcept
{
    return chosen.exchange(resource ? resource : new_delete_resource());
}

void *monotonic_buffer_resource::do_allocate(size_t bytes, size_t alignment)
{
    if (void *memory = taken(__initial_.__start_, __initial_.__cur_, bytes, alignment))
        return memory;
    if (__chunks_)
        if (void *memory = taken(__chunks_->__start_, __chunks_->__cur_, bytes, alignment))
            return memory;
    size_t before = __initial_.__size_;
    if (__chunks_)
        before = __chunks_->__allocation_size();
    else if (__initial_.__start_)
        before = static_cast<size_t>(__initial_.__end_ - __initial_.__start_);
    const size_t unit = alignof(__chunk_footer), aligned = max(alignment, unit);
    const size_t size = (max(2 * before, bytes + aligned) + unit - 1) / unit * unit;
    char *memory = static_cast<char *>(__res_->allocate(size + sizeof(__chunk_footer), aligned));
    __chunks_ = ::new (memory + size) __chunk_footer{__chunks_, memory, memory + size, aligned};
    return taken(memory, __chunks_->__cur_, bytes, alignment);
}

} // namespace pmr
_LIBCPP_END_NAMESPACE_STD
