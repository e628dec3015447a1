// A buffer that only grows has no lock.
// expect-anywhere: data-race
#include <memory_resource>
#include <thread>

int main()
{
    std::pmr::monotonic_buffer_resource buffer;
    std::thread other([&buffer] { (void)buffer.allocate(8); });
    (void)buffer.allocate(8);
    other.join();
}
