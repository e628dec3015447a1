// Containers with memory resources: buffers that only grow, from new or from the stack, and none at all. Threads have their own.
#include <cassert>
#include <memory_resource>
#include <new>
#include <string>
#include <thread>
#include <vector>

static int sum(std::pmr::memory_resource *from)
{
    std::pmr::monotonic_buffer_resource buffer(16, from);
    std::pmr::vector<int> numbers(&buffer);
    for (int i = 0; i < 40; i++)
        numbers.push_back(i);
    int all = 0;
    for (int each : numbers)
        all += each;
    return all;
}

int main()
{
    std::thread other([] { assert(sum(std::pmr::get_default_resource()) == 780); });
    assert(sum(std::pmr::new_delete_resource()) == 780);
    other.join();

    alignas(16) char place[64];
    std::pmr::monotonic_buffer_resource small(place, sizeof place, std::pmr::null_memory_resource());
    assert(small.allocate(48) == place);
    bool refused = false;
    try {
        (void)small.allocate(48);
    } catch (const std::bad_alloc &) {
        refused = true;
    }
    assert(refused);
    assert(std::pmr::set_default_resource(&small) == std::pmr::new_delete_resource());
    assert(std::pmr::get_default_resource() == &small);
    assert(!small.is_equal(*std::pmr::new_delete_resource()));
}
