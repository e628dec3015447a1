// What the memory resources (std::pmr) of libstdc++ and of libc++ have in common: those of new and delete, the one that has none, and the default.
// It is included within std::pmr, behind <atomic>, <memory_resource> and <new>.
#pragma once

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
