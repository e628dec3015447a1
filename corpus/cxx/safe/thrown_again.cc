// Exceptions that are thrown again, inside of handlers of others, and by destructors that catch their own; how many are on their way.
#include <cstdlib>
#include <exception>
#include <thread>

static int trace(int digit, bool read = false)
{
    static thread_local int digits = 0;
    if (!read)
        digits = 10 * digits + digit;
    return digits;
}

struct Note {
    int digit;
    ~Note() { trace(digit + std::uncaught_exceptions()); }
};

struct Catches {
    ~Catches()
    {
        try {
            Note note{1};
            throw 'x';
        } catch (char) {
            trace(4);
        }
    }
};

struct Counted {
    static thread_local int alive;
    int value;
    explicit Counted(int value) : value(value) { alive++; }
    Counted(const Counted &other) : value(other.value) { alive++; }
    ~Counted() { alive--; }
};
thread_local int Counted::alive;

static void again(int depth)
{
    Note note{5};
    try {
        if (depth == 0)
            throw Counted(1);
        again(depth - 1);
    } catch (Counted &counted) {
        counted.value++;
        throw;
    }
}

static void run()
{
    try {
        Catches catches;
        again(2);
    } catch (Counted counted) {
        if (counted.value != 4 || Counted::alive != 2)
            abort();
        try {
            try {
                throw 1L;
            } catch (long) {
                if (counted.value != 4)
                    abort();
                throw counted;
            }
        } catch (const Counted &) {
            trace(9);
        }
    }
    // Three frames, then a destructor with an exception of its own while the first is on its way.
    if (trace(0, true) != 666349 || Counted::alive != 0 || std::uncaught_exceptions() != 0)
        abort();
}

int main()
{
    std::thread other(run);
    run();
    other.join();
}
