// Two threads write to one string stream: other than the standard streams, it is an object like
// any.
#include <sstream>
#include <thread>

int main()
{
    std::ostringstream log;
    std::thread worker([&] { log << 'a'; }); // expect: data-race
    log << 'b';
    worker.join();
    return log.str().empty();
}
