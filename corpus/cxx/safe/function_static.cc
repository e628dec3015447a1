// A static variable of a function is initialised once, and whoever uses it sees it initialised.
#include <cassert>
#include <thread>

static int runs;

struct Table {
    Table() : value(7) { runs++; }
    int value;
};

static Table &table()
{
    static Table instance;
    return instance;
}

int main()
{
    std::thread other([] { assert(table().value == 7); });
    assert(table().value == 7);
    other.join();
    assert(runs == 1);
}
