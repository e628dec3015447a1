// Only the destructor of the base joins the thread: until then the virtual function that it calls is
// replaced, when the destructor of the derived class has ended.
#include <thread>

struct Base {
    int runs = 0;
    std::thread thread;

    void start()
    {
        thread = std::thread([this] { run(); }); // expect: data-race
    }

    virtual void run()
    {
        runs = 1;
    }

    virtual ~Base()
    {
        thread.join();
    }
};

struct Derived : Base {
    void run() override
    {
        runs = 2;
    }
};

int main()
{
    Derived derived;
    derived.start();
}
