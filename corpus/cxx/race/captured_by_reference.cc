// A lambda captures by reference what its creator goes on changing.
#include <thread>

int main()
{
    int job = 1;
    int seen = 0;
    std::thread worker([&] { seen = job; }); // expect: data-race
    job = 2;
    worker.join();
    return seen & 0;
}
