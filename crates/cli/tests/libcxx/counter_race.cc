// false(data-race)
// A counter that nothing protects.
#include <cassert>
#include <thread>
#include <vector>

int count;

void add(int much)
{
    count += much;
}

int main()
{
    std::vector<std::thread> threads;
    for (int i = 1; i <= 2; i++)
        threads.emplace_back(add, i);
    for (std::thread &thread : threads)
        thread.join();
    assert(count == 3);
}
