// Memory resources (std::pmr): those of new and delete, the one that has none, the default, and buffers that only grow. The pools are
// missing.
#include <algorithm>
#include <atomic>
#include <memory_resource>
#include <new>

namespace std::pmr {

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

// A buffer from upstream: this stands behind its memory.
class monotonic_buffer_resource::_Chunk {
public:
    _Chunk *next;
    void *memory;
    size_t bytes;
    size_t alignment;
};

void monotonic_buffer_resource::_M_new_buffer(size_t bytes, size_t alignment)
{
    const size_t unit = alignof(_Chunk), wanted = max(bytes, _M_next_bufsiz);
    const size_t size = (wanted + unit - 1) / unit * unit, all = size + sizeof(_Chunk);
    const size_t aligned = max(alignment, unit);
    char *memory = static_cast<char *>(_M_upstream->allocate(all, aligned));
    _M_head = ::new (memory + size) _Chunk{_M_head, memory, all, aligned};
    _M_current_buf = memory;
    _M_avail = size;
    _M_next_bufsiz = size * _S_growth_factor;
}

void monotonic_buffer_resource::_M_release_buffers() noexcept
{
    while (_M_head) {
        const _Chunk last = *_M_head;
        _M_head = last.next;
        _M_upstream->deallocate(last.memory, last.bytes, last.alignment);
    }
}

monotonic_buffer_resource::~monotonic_buffer_resource()
{
    release();
}

} // namespace std::pmr
