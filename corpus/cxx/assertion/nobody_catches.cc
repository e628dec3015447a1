// Exceptions that end the program: nobody catches them, a function that must not throw lies between, or a thread lets them out.
// variant: -DHOW=0
// variant: -DHOW=1
// variant: -DHOW=2
// variant: -DHOW=3
// expect-anywhere: assertion.uncaught-exception
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static int element(unsigned at)
{
    std::vector<int> numbers(2);
    return numbers.at(at);
}

static int must_not_throw(unsigned at) noexcept { return element(at); }

static void body() { element(2); }

int main()
{
#if HOW == 0
    return element(2);
#elif HOW == 1
    try {
        return must_not_throw(2);
    } catch (...) {
        return 0;
    }
#elif HOW == 2
    try {
        std::thread thread(body);
        thread.join();
    } catch (...) {
        return 0;
    }
#else
    throw 5;
#endif
}
