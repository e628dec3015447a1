// A promise that another thread keeps, and a task that runs by itself.
#include <cassert>
#include <future>
#include <thread>

int main()
{
    int plain = 0;
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    std::thread keeper([&] {
        plain = 1;
        promise.set_value(3);
    });
    assert(future.get() == 3 && plain == 1);
    keeper.join();
    std::future<int> task = std::async(std::launch::async, [&] { return plain + 4; });
    assert(task.get() == 5);
    return 0;
}
