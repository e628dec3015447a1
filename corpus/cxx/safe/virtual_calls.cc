// Virtual functions, constructors and destructors in their order, run by two threads on objects of their own.
#include <cassert>
#include <thread>

struct Shape {
    explicit Shape(int &destroyed) : destroyed(destroyed) {}
    virtual ~Shape() { destroyed++; }
    virtual int area() const = 0;
    int &destroyed;
};

struct Square : Shape {
    Square(int side, int &destroyed) : Shape(destroyed), side(side) {}
    ~Square() override { destroyed += 10; }
    int area() const override { return side * side; }
    int side;
};

static void measure(int side)
{
    int destroyed = 0;
    Shape *shape = new Square(side, destroyed);
    assert(shape->area() == side * side);
    delete shape;
    assert(destroyed == 11);
}

int main()
{
    std::thread other(measure, 3);
    measure(4);
    other.join();
}
