// true
// Two threads wait for the same result.
#include <cassert>
#include <chrono>
#include <future>
#include <thread>

int main()
{
    std::promise<void> go;
    std::shared_future<void> ready = go.get_future().share();
    int data = 0, sum[2] = {0, 0};
    std::thread first([ready, &data, &sum] {
        ready.wait();
        sum[0] = data + 1;
    });
    std::thread second([ready, &data, &sum] {
        if (ready.wait_for(std::chrono::milliseconds(3)) == std::future_status::ready)
            sum[1] = data + 2;
        else
            ready.get();
    });
    data = 10;
    go.set_value();
    first.join();
    second.join();
    assert(sum[0] == 11);
    assert(sum[1] == 12 || sum[1] == 0);
}
