// false(assertion.uncaught-exception)
// An exception that leaves a thread.
#include <stdexcept>
#include <string>
#include <thread>

int main()
{
    std::thread other([] { throw std::runtime_error(std::string("nobody ") + "catches it"); });
    other.join();
}
