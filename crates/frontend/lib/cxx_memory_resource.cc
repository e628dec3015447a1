// Memory resources (std::pmr): those of new and delete, the one that has none, the default, and buffers that only grow. The pools are
// missing.
#include <algorithm>
#include <atomic>
#include <memory_resource>
#include <new>

namespace std::pmr {

#include "memory_resources.h"

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
