// The place of a job is used again for another job, whose flag is a new one: its routine runs again.
#include <cassert>
#include <mutex>
#include <new>
#include <thread>

struct Job
{
    std::once_flag once;
    int value = 0;
};

alignas(Job) static unsigned char place[sizeof(Job)];
static int runs;

static void run(Job *job)
{
    std::call_once(job->once, [] { runs++; });
}

int main()
{
    for (int round = 0; round < 2; round++)
    {
        Job *job = new (place) Job;
        std::thread one(run, job), two(run, job);
        one.join();
        two.join();
        job->~Job();
    }
    assert(runs == 1); // expect: assertion
}
