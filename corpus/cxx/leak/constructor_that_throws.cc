// A constructor that throws: members that are made are ended, the memory of the object is given back; what a plain pointer holds is lost.
// options: --property leak
#include <stdexcept>
#include <thread>

struct Member {
    int *own = new int(1);
    ~Member() { delete own; }
};

struct Whole {
    Member member;
    int *plain;
    explicit Whole(bool throws) : plain(new int(2)) // expect: memory.leak
    {
        if (throws)
            throw std::runtime_error("half made");
    }
    ~Whole() { delete plain; }
};

static void make(bool throws)
{
    try {
        delete new Whole(throws);
    } catch (const std::exception &) {
    }
}

int main()
{
    std::thread other(make, false);
    make(true);
    other.join();
}
