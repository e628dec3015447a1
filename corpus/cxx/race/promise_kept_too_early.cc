// What is written after the promise was kept is not ordered before who waited for it.
#include <future>
#include <thread>

int main()
{
    int plain = 0;
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    std::thread keeper([&] {
        promise.set_value(3);
        plain = 1; // expect: data-race
    });
    int seen = future.get() + plain; // expect: data-race
    keeper.join();
    return seen & 0;
}
