// std::atomic_load, store and exchange for a std::shared_ptr, whose locks are in libstdc++.
#include <cassert>
#include <memory>
#include <thread>

std::shared_ptr<int> current = std::make_shared<int>(1);

int main()
{
    std::thread writer([] { std::atomic_store(&current, std::make_shared<int>(2)); });
    auto before = std::atomic_load(&current);
    assert(*before == 1 || *before == 2);
    writer.join();
    auto last = std::atomic_exchange(&current, std::shared_ptr<int>());
    assert(*last == 2 && !current);
}
