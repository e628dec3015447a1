// The red-black trees of std::map and std::set: what libstdc++ keeps out of headers (bits/stl_tree.h declares it).
//
// A tree has a header: its parent is the root, its left and right child are the first and the last node. It is red, so that it can be told
// from the root, which is black and has it as its parent.
#include <map>

namespace std {

using Node = _Rb_tree_node_base;

static Node *next(Node *node)
{
    if (node->_M_right)
        return Node::_S_minimum(node->_M_right);
    Node *above = node->_M_parent;
    while (node == above->_M_right) {
        node = above;
        above = above->_M_parent;
    }
    // The root without a right child, whose successor is the header.
    return node->_M_right == above ? node : above;
}

static Node *previous(Node *node)
{
    if (node->_M_color == _S_red && node->_M_parent->_M_parent == node)
        return node->_M_right; // from the header to the last node
    if (node->_M_left)
        return Node::_S_maximum(node->_M_left);
    Node *above = node->_M_parent;
    while (node == above->_M_left) {
        node = above;
        above = above->_M_parent;
    }
    return above;
}

Node *_Rb_tree_increment(Node *node) throw() { return next(node); }
const Node *_Rb_tree_increment(const Node *node) throw() { return next(const_cast<Node *>(node)); }
Node *_Rb_tree_decrement(Node *node) throw() { return previous(node); }
const Node *_Rb_tree_decrement(const Node *node) throw() { return previous(const_cast<Node *>(node)); }

// Puts `lower` in the place of `upper`, as its parent's child.
static void replace(Node *upper, Node *lower, Node &header)
{
    Node *above = upper->_M_parent;
    if (header._M_parent == upper)
        header._M_parent = lower;
    else if (above->_M_left == upper)
        above->_M_left = lower;
    else
        above->_M_right = lower;
    if (lower)
        lower->_M_parent = above;
}

static void rotate_left(Node *node, Node &header)
{
    Node *child = node->_M_right;
    replace(node, child, header);
    node->_M_right = child->_M_left;
    if (node->_M_right)
        node->_M_right->_M_parent = node;
    child->_M_left = node;
    node->_M_parent = child;
}

static void rotate_right(Node *node, Node &header)
{
    Node *child = node->_M_left;
    replace(node, child, header);
    node->_M_left = child->_M_right;
    if (node->_M_left)
        node->_M_left->_M_parent = node;
    child->_M_right = node;
    node->_M_parent = child;
}

void _Rb_tree_insert_and_rebalance(const bool left, Node *node, Node *parent, Node &header) throw()
{
    node->_M_parent = parent;
    node->_M_left = node->_M_right = nullptr;
    node->_M_color = _S_red;
    if (parent == &header) {
        header._M_parent = header._M_left = header._M_right = node;
    } else if (left) {
        parent->_M_left = node;
        if (parent == header._M_left)
            header._M_left = node;
    } else {
        parent->_M_right = node;
        if (parent == header._M_right)
            header._M_right = node;
    }
    while (node != header._M_parent && node->_M_parent->_M_color == _S_red) {
        Node *above = node->_M_parent, *top = above->_M_parent;
        bool is_left = above == top->_M_left;
        Node *uncle = is_left ? top->_M_right : top->_M_left;
        if (uncle && uncle->_M_color == _S_red) {
            above->_M_color = uncle->_M_color = _S_black;
            top->_M_color = _S_red;
            node = top;
            continue;
        }
        if (node == (is_left ? above->_M_right : above->_M_left)) {
            is_left ? rotate_left(above, header) : rotate_right(above, header);
            above = node;
        }
        above->_M_color = _S_black;
        top->_M_color = _S_red;
        is_left ? rotate_right(top, header) : rotate_left(top, header);
        break;
    }
    header._M_parent->_M_color = _S_black;
}

// A node of the paths through `parent`'s left or right side, at which `node` (or nothing) hangs, is one black node short.
static void repair(Node *node, Node *parent, Node &header)
{
    while (node != header._M_parent && (!node || node->_M_color == _S_black)) {
        bool is_left = node == parent->_M_left;
        Node *sibling = is_left ? parent->_M_right : parent->_M_left;
        if (sibling->_M_color == _S_red) {
            sibling->_M_color = _S_black;
            parent->_M_color = _S_red;
            is_left ? rotate_left(parent, header) : rotate_right(parent, header);
            sibling = is_left ? parent->_M_right : parent->_M_left;
        }
        Node *near = is_left ? sibling->_M_left : sibling->_M_right;
        Node *far = is_left ? sibling->_M_right : sibling->_M_left;
        bool near_is_red = near && near->_M_color == _S_red, far_is_red = far && far->_M_color == _S_red;
        if (!near_is_red && !far_is_red) {
            sibling->_M_color = _S_red;
            node = parent;
            parent = parent->_M_parent;
            continue;
        }
        if (!far_is_red) {
            near->_M_color = _S_black;
            sibling->_M_color = _S_red;
            is_left ? rotate_right(sibling, header) : rotate_left(sibling, header);
            far = sibling;
            sibling = near;
        }
        sibling->_M_color = parent->_M_color;
        parent->_M_color = far->_M_color = _S_black;
        is_left ? rotate_left(parent, header) : rotate_right(parent, header);
        break;
    }
    if (node)
        node->_M_color = _S_black;
}

Node *_Rb_tree_rebalance_for_erase(Node *const node, Node &header) throw()
{
    if (header._M_left == node)
        header._M_left = next(node);
    if (header._M_right == node)
        header._M_right = previous(node);
    Node *child, *parent;
    _Rb_tree_color lost = node->_M_color;
    if (node->_M_left && node->_M_right) {
        // Its successor, which has no left child, takes its place and colour.
        Node *heir = Node::_S_minimum(node->_M_right);
        lost = heir->_M_color;
        child = heir->_M_right;
        parent = heir;
        if (heir != node->_M_right) {
            parent = heir->_M_parent;
            replace(heir, child, header);
            heir->_M_right = node->_M_right;
            heir->_M_right->_M_parent = heir;
        }
        replace(node, heir, header);
        heir->_M_left = node->_M_left;
        heir->_M_left->_M_parent = heir;
        heir->_M_color = node->_M_color;
    } else {
        child = node->_M_left ? node->_M_left : node->_M_right;
        parent = node->_M_parent;
        replace(node, child, header);
    }
    if (!header._M_parent)
        header._M_left = header._M_right = &header;
    else if (lost == _S_black)
        repair(child, parent, header);
    return node;
}

} // namespace std
