// std::call_once runs once, and readers under a std::shared_mutex see all or nothing of a writer.
#include <cassert>
#include <iostream>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::once_flag once;
static std::shared_mutex lock;
static int made, first, second;

static void use()
{
    std::call_once(once, [] { made++; });
    std::shared_lock<std::shared_mutex> guard(lock);
    assert(made == 1 && first == second);
}

int main()
{
    std::thread reader(use);
    {
        std::unique_lock<std::shared_mutex> guard(lock);
        first++;
        second++;
    }
    use();
    reader.join();
    std::cout << "made " << made << '\n';
    return 0;
}
