// true
// Two threads, each with a resource of its own that begins with a buffer on its stack and grows; and the resource that has none.
#include <cassert>
#include <memory_resource>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

static std::mutex m;
static int sum;

static void work(int n)
{
    char buffer[64];
    std::pmr::monotonic_buffer_resource resource(buffer, sizeof buffer);
    std::pmr::vector<int> all(&resource);
    for (int i = 0; i < 20; i++)
        all.push_back(i * n);
    std::lock_guard<std::mutex> lock(m);
    for (int number : all)
        sum += number;
}

int main()
{
    std::thread t(work, 1);
    work(2);
    t.join();
    assert(sum == 3 * 190);
    char little[16];
    std::pmr::monotonic_buffer_resource none(little, sizeof little, std::pmr::null_memory_resource());
    assert(none.allocate(8, 8) != none.allocate(8, 8));
    bool thrown = false;
    try {
        (void)none.allocate(1, 1);
    } catch (const std::bad_alloc &) {
        thrown = true;
    }
    assert(thrown);
    assert(std::pmr::set_default_resource(std::pmr::null_memory_resource()) == std::pmr::new_delete_resource());
    assert(std::pmr::get_default_resource() == std::pmr::null_memory_resource());
}
