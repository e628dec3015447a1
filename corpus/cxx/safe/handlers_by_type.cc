// Which handler catches what: bases, virtual bases, pointers and their qualifiers, what is ambiguous or private.
#include <cstdlib>

struct A {
    int a = 1;
    virtual ~A() = default;
};
struct B : virtual A {
    int b = 2;
};
struct C : virtual A {
    int c = 3;
};
struct D : B, C {
    int d = 4;
};
struct Left : A {};
struct Right : A {};
struct Twice : Left, Right {};
struct Hidden : private A {};
struct Plain {
    int p = 5;
};
struct Second : Plain, A {};

enum Colour { RED = 7 };

template <typename T>
static int handler(T thrown)
{
    try {
        throw thrown;
    } catch (A &object) {
        return 10 + object.a;
    } catch (Plain &object) {
        return 20 + object.p;
    } catch (A *object) {
        return 30 + object->a;
    } catch (const char *) {
        return 40;
    } catch (void *) {
        return 50;
    } catch (const void *) {
        return 60;
    } catch (int) {
        return 70;
    } catch (Colour colour) {
        return 80 + colour;
    } catch (...) {
        return 90;
    }
}

static void check(int is, int wanted)
{
    if (is != wanted)
        abort();
}

int main()
{
    static D object;
    static int number;
    static const int constant = 1;
    char letters[] = "text";
    check(handler(D()), 11);
    check(handler(Second()), 11);
    check(handler(Plain()), 25);
    check(handler(Twice()), 90);
    check(handler(Hidden()), 90);
    check(handler(&object), 31);
    check(handler(static_cast<C *>(&object)), 31);
    check(handler("text"), 40);
    check(handler(+letters), 40);
    check(handler(&number), 50);
    check(handler(&constant), 60);
    check(handler(static_cast<const D *>(&object)), 60);
    check(handler(1), 70);
    check(handler(1u), 90);
    check(handler(RED), 87);
    check(handler(&handler<int>), 90);
}
