// true
// std::async on a thread of its own, and a future of void.
#include <cassert>
#include <future>

int main()
{
    int shared = 0;
    std::future<void> done = std::async(std::launch::async, [&shared] { shared = 3; });
    std::future<int> sum = std::async(std::launch::async, [](int a, int b) { return a + b; }, 1, 2);
    done.get();
    assert(shared == 3);
    assert(sum.get() == 3);
}
