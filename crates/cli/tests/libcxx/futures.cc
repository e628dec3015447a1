// true
// Promises, tasks, async, and futures that are shared.
#include <cassert>
#include <chrono>
#include <future>
#include <string>
#include <thread>

int length(const std::string &text)
{
    return static_cast<int>(text.size());
}

int main()
{
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    std::thread setter([](std::promise<int> own) { own.set_value(5); }, std::move(promise));
    assert(future.get() == 5);
    assert(!future.valid());
    setter.join();

    std::packaged_task<int(const std::string &)> task(length);
    std::future<int> result = task.get_future();
    std::thread worker(std::move(task), "four");
    assert(result.get() == 4);
    worker.join();

    std::future<std::string> later = std::async(std::launch::deferred, [] { return std::string("deferred"); });
    assert(later.wait_for(std::chrono::seconds(0)) == std::future_status::deferred);
    assert(later.get() == "deferred");
}
