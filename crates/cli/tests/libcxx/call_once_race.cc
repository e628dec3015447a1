// false(data-race)
// Reads what call_once protects without calling it.
#include <mutex>
#include <thread>

std::once_flag once;
int value;

int main()
{
    std::thread maker([] { std::call_once(once, [] { value = 1; }); });
    int seen = value;
    maker.join();
    return seen > 1;
}
