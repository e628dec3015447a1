// Readers take snapshots through std::atomic<std::shared_ptr> while a writer replaces the data.
// options: --cflags -std=c++20
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

std::atomic<std::shared_ptr<const int>> current = std::make_shared<const int>(1);

int main()
{
    std::thread writer([] { current.store(std::make_shared<const int>(2)); });
    auto snapshot = current.load();
    assert(*snapshot == 1 || *snapshot == 2);
    writer.join();
    assert(*current.load() == 2);
}
