// The doubly linked rings of std::list: what libstdc++ keeps out of headers (bits/stl_list.h declares it).
#include <list>

namespace std {
namespace __detail {

void _List_node_base::_M_hook(_List_node_base *const position) noexcept
{
    _M_next = position;
    _M_prev = position->_M_prev;
    _M_prev->_M_next = this;
    position->_M_prev = this;
}

void _List_node_base::_M_unhook() noexcept
{
    _M_prev->_M_next = _M_next;
    _M_next->_M_prev = _M_prev;
}

// Moves what lies from `first` up to before `last` in front of this node.
void _List_node_base::_M_transfer(_List_node_base *const first, _List_node_base *const last) noexcept
{
    if (this == last || first == last)
        return;
    _List_node_base *const final = last->_M_prev;
    first->_M_prev->_M_next = last;
    last->_M_prev = first->_M_prev;
    _M_prev->_M_next = first;
    first->_M_prev = _M_prev;
    final->_M_next = this;
    _M_prev = final;
}

void _List_node_base::_M_reverse() noexcept
{
    _List_node_base *node = this;
    do {
        _List_node_base *const next = node->_M_next;
        node->_M_next = node->_M_prev;
        node->_M_prev = next;
        node = next;
    } while (node != this);
}

void _List_node_base::swap(_List_node_base &one, _List_node_base &other) noexcept
{
    // Other's elements in front of one, then one's old elements, which come after them, to other.
    _List_node_base *const first = one._M_next, *const end = &one;
    if (other._M_next == &other) {
        if (first != end)
            other._M_transfer(first, end);
        return;
    }
    if (first == end) {
        one._M_transfer(other._M_next, &other);
        return;
    }
    first->_M_transfer(other._M_next, &other);
    other._M_transfer(first, end);
}

} // namespace __detail
} // namespace std
