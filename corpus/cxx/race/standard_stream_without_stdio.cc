// After sync_with_stdio(false), threads may not write to std::cout at once.
#include <iostream>
#include <thread>

int main()
{
    std::ios_base::sync_with_stdio(false);
    std::thread worker([] { std::cout << "one\n"; }); // expect: data-race
    std::cout << "two\n";
    worker.join();
    return 0;
}
