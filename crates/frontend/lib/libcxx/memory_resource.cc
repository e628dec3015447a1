// Memory resources of libc++ (std::pmr): those of new and delete, the one that has none, the default, and buffers that only grow. The pools are
// missing.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory_resource>
#include <new>

_LIBCPP_BEGIN_NAMESPACE_STD
namespace pmr {

#include "../memory_resources.h"

namespace {

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
