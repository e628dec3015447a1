// dynamic_cast down, across, to virtual bases; to what is not there, ambiguous or private; of references.
#include <cstdlib>
#include <typeinfo>

struct A { virtual ~A() = default; int a = 1; };
struct B : virtual A { int b = 2; };
struct C : virtual A { int c = 3; };
struct D : B, C { int d = 4; };
struct L : A { int l = 5; };
struct R : A { int r = 6; };
struct T : L, R { int t = 7; };
struct Other { virtual ~Other() = default; };
struct P : private A, public Other {};

static void check(bool holds)
{
    if (!holds)
        abort();
}

int main()
{
    D d;
    A *a = &d;
    check(dynamic_cast<D *>(a) == &d);
    check(dynamic_cast<C *>(a) == &d && dynamic_cast<C *>(a)->c == 3);
    check(dynamic_cast<C *>(static_cast<B *>(&d))->c == 3);
    check(!dynamic_cast<L *>(a) && !dynamic_cast<Other *>(a));
    check(dynamic_cast<void *>(static_cast<C *>(&d)) == &d);
    T t;
    L *l = &t;
    A *left = l, *right = static_cast<R *>(&t);
    check(left != right && dynamic_cast<T *>(left) == &t && dynamic_cast<T *>(right) == &t);
    check(dynamic_cast<L *>(left) == l && dynamic_cast<L *>(right) == l && dynamic_cast<R *>(l)->r == 6);
    P p;
    Other *other = &p;
    check(!dynamic_cast<A *>(other) && dynamic_cast<P *>(other) == &p);
    check(typeid(*a) == typeid(D) && typeid(*other) != typeid(Other));
    try {
        dynamic_cast<T &>(*a).t++;
        abort();
    } catch (const std::bad_cast &) {
    }
    A *none = nullptr;
    check(!dynamic_cast<D *>(none));
    try {
        check(typeid(*none) == typeid(A));
        abort();
    } catch (const std::bad_typeid &) {
    }
}
