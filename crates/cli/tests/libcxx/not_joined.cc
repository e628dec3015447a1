// false(assertion.uncaught-exception)
// A thread that is neither joined nor detached.
#include <thread>

int main()
{
    std::thread other([] {});
}
