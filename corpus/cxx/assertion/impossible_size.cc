// Nothing catches what operator new throws for an impossible size.
// expect-anywhere: assertion.uncaught-exception
// variant: -DGUARDED=0
// variant: -DGUARDED=1
#include <memory>
#include <thread>

static volatile long count = -1;

int main()
{
#if GUARDED
    auto guard = std::make_unique<int>(1);
    std::thread other([] { delete[] new int[count]; });
    other.join();
#else
    delete[] new int[count];
#endif
}
