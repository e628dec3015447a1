// The destructor of a global object runs after the last thread, whoever that is, and sees what all have written.
#include <cassert>
#include <thread>
#include <pthread.h>

struct Sum {
    int of_main = 0, of_thread = 0;
    ~Sum()
    {
        assert(of_main == 1 && of_thread == 2);
    }
} sum;

int main()
{
    std::thread([] { sum.of_thread = 2; }).detach();
    sum.of_main = 1;
    pthread_exit(nullptr);
}
