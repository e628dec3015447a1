// The format of a standard stream is shared: a thread that changes it races with the output of
// others.
#include <iostream>
#include <thread>

int main()
{
    // The write is in a header.
    // expect-anywhere: data-race
    std::thread worker([] { std::cout.precision(3); });
    std::cout << 1.25 << '\n';
    worker.join();
    return 0;
}
