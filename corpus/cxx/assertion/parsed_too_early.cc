// A request is parsed when it may not be whole: in some orders of the threads a field is missing.
#include <cassert>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>

static std::mutex lock;
static std::stringstream request;

int main()
{
    std::thread client([] {
        for (int field : {7, 35}) {
            std::lock_guard<std::mutex> guard(lock);
            request << field << ' ';
        }
    });
    {
        std::lock_guard<std::mutex> guard(lock);
        int x = 0, y = 0;
        if (request >> x)
            assert(request >> y); // expect: assertion
    }
    client.join();
    return 0;
}
