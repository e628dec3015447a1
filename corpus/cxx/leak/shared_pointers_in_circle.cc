// Two objects that share each other are never deleted.
// options: --property memory,leak
// expect-anywhere: memory.leak
#include <memory>

struct Node {
    std::shared_ptr<Node> other;
};

int main()
{
    auto a = std::make_shared<Node>(), b = std::make_shared<Node>();
    a->other = b;
    b->other = a;
}
