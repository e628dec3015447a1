// true
// Exceptions that are kept, nested, and thrown in other threads.
#include <cassert>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <typeinfo>

struct Base {
    virtual ~Base() = default;
};
struct Derived : Base {};

int main()
{
    std::exception_ptr kept;
    std::thread thrower([&kept] {
        try {
            throw std::logic_error("kept");
        } catch (...) {
            kept = std::current_exception();
        }
    });
    thrower.join();
    std::exception_ptr copy = kept;
    assert(copy == kept && copy);
    int caught = 0;
    try {
        std::rethrow_exception(copy);
    } catch (std::logic_error &error) {
        std::logic_error other(error);
        caught += std::string(other.what()) == "kept";
    }
    try {
        try {
            throw std::runtime_error("inner");
        } catch (...) {
            std::throw_with_nested(std::length_error("outer"));
        }
    } catch (const std::exception &outer) {
        caught += std::string(outer.what()) == "outer";
        try {
            std::rethrow_if_nested(outer);
        } catch (const std::runtime_error &inner) {
            caught += std::string(inner.what()) == "inner";
        }
    }
    Base base;
    try {
        (void)dynamic_cast<Derived &>(base);
    } catch (const std::bad_cast &) {
        caught++;
    }
    try {
        throw std::bad_alloc();
    } catch (const std::exception &error) {
        caught += typeid(error) == typeid(std::bad_alloc);
    }
    assert(caught == 5 && std::uncaught_exceptions() == 0);
}
