// A buffer that only grows has no lock.
#include <memory_resource>
#include <thread>

int main()
{
    std::pmr::monotonic_buffer_resource buffer;
    std::thread other([&buffer] { (void)buffer.allocate(8); }); // expect: data-race
    (void)buffer.allocate(8); // expect: data-race
    other.join();
}
