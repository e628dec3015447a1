// Exceptions of the program and of the library that are caught, with a destructor on the way.
// variant: -DHOW=0
// variant: -DHOW=1
// variant: -DHOW=2
// variant: -DHOW=3
// variant: -DHOW=4
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

static int element(const std::vector<int> &numbers, unsigned at)
{
    std::string text = "a local with a destructor, which runs on the way out";
    return numbers.at(at) + (int)text.size();
}

static int own(int code)
{
    if (code > 3)
        throw code;
    return code;
}

int main()
{
    std::vector<int> numbers(2);
    std::function<int()> nothing;
    std::thread none;
    try {
#if HOW == 0
        return element(numbers, 2);
#elif HOW == 1
        return std::stoi(std::string("no number"));
#elif HOW == 2
        return nothing();
#elif HOW == 3
        none.join();
#else
        return own(4);
#endif
    } catch (const std::bad_alloc &) {
        return 1;
    } catch (...) {
        return 0;
    }
    return 0;
}
