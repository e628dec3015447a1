// A destructor joins the thread that calls a virtual function of its class. The function stays the
// same while the destructor's body runs ([class.cdtor]); compilers store the address of the table of
// virtual functions again at its beginning, which changes nothing.
#include <thread>

struct Runnable {
    virtual ~Runnable() = default;
    virtual void run() = 0;
};

struct Worker : Runnable {
    int runs = 0;
    std::thread thread;

    void start()
    {
        thread = std::thread([this] { run(); });
    }

    void run() override
    {
        runs = 1;
    }

    ~Worker() override
    {
        thread.join();
    }
};

int main()
{
    Worker worker;
    worker.start();
}
