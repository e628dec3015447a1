// Search trees of <search.h>. The trees are the program's: two threads that use one without order have a data race. How a tree is
// balanced is left open, and with it the levels that twalk tells; these trees are not.
#define _GNU_SOURCE
#include <search.h>
#include <stdlib.h>

// What a program gets is a pointer to the key.
struct node
{
    const void *key;
    struct node *left, *right;
};

// Where a node with this key is, or would be.
static struct node **place(const void *key, struct node **root, __compar_fn_t compare)
{
    while (*root) {
        int order = compare(key, (*root)->key);
        if (order == 0)
            break;
        root = order < 0 ? &(*root)->left : &(*root)->right;
    }
    return root;
}

void *tsearch(const void *key, void **root, __compar_fn_t compare)
{
    if (!root)
        return NULL;
    struct node **at = place(key, (struct node **)root, compare);
    if (!*at && (*at = malloc(sizeof **at)))
        **at = (struct node){key, NULL, NULL};
    // glibc balances the tree on the way, also where the key is there.
    if (*root) {
        struct node *volatile *top = &(*(struct node **)root)->left;
        *top = *top;
    }
    return *at;
}

void *tfind(const void *key, void *const *root, __compar_fn_t compare)
{
    return root ? *place(key, (struct node **)root, compare) : NULL;
}

// Returns the parent of what was removed; of the root, what POSIX calls an unspecified pointer.
void *tdelete(const void *restrict key, void **restrict root, __compar_fn_t compare)
{
    struct node **at = (struct node **)root, *parent = NULL;
    if (!root)
        return NULL;
    for (int order; *at && (order = compare(key, (*at)->key)) != 0;) {
        parent = *at;
        at = order < 0 ? &parent->left : &parent->right;
    }
    struct node *gone = *at;
    if (!gone)
        return NULL;
    if (!gone->left || !gone->right) {
        *at = gone->left ? gone->left : gone->right;
    } else {
        // Its successor takes its place.
        struct node **least = &gone->right;
        while ((*least)->left)
            least = &(*least)->left;
        struct node *successor = *least;
        *least = successor->right;
        successor->left = gone->left;
        successor->right = gone->right;
        *at = successor;
    }
    free(gone);
    return parent ? (void *)parent : (void *)root;
}

static void walk(const struct node *node, void (*visit)(const void *, VISIT, void *), void *with, int plain, int level)
{
    void (*visit_plain)(const void *, VISIT, int) = (void (*)(const void *, VISIT, int))(void (*)(void))visit;
    int is_leaf = !node->left && !node->right;
    for (VISIT when = is_leaf ? leaf : preorder; when <= leaf; when++) {
        if (plain)
            visit_plain(node, when, level);
        else
            visit(node, when, with);
        const struct node *child = when == preorder ? node->left : when == postorder ? node->right : NULL;
        if (child)
            walk(child, visit, with, plain, level + 1);
        if (when == endorder)
            break;
    }
}

void twalk(const void *root, __action_fn_t visit)
{
    if (root && visit)
        walk(root, (void (*)(const void *, VISIT, void *))(void (*)(void))visit, NULL, 1, 0);
}

void twalk_r(const void *root, void (*visit)(const void *, VISIT, void *), void *with)
{
    if (root && visit)
        walk(root, visit, with, 0, 0);
}

void tdestroy(void *root, __free_fn_t release)
{
    struct node *node = root;
    if (!node)
        return;
    tdestroy(node->left, release);
    tdestroy(node->right, release);
    release((void *)node->key);
    free(node);
}
