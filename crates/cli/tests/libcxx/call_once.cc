// true
// Something that is made once; the first call throws.
#include <cassert>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>

std::once_flag once;
std::unique_ptr<int> made;
int calls;

void make(int value)
{
    if (calls++ == 0)
        throw std::runtime_error("not yet");
    made = std::make_unique<int>(value);
}

void use()
{
    try {
        std::call_once(once, make, 7);
    } catch (const std::runtime_error &) {
        std::call_once(once, make, 7);
    }
    assert(*made == 7);
}

int main()
{
    std::thread first(use), second(use);
    first.join();
    second.join();
    assert(calls == 2);
}
