// Exceptions of libc++: exception_ptr, and the small classes. What is under them is the same for both libraries (cxx_exception.cc).
#include <any>
#include <exception>
#include <functional>
#include <new>
#include <optional>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <typeinfo>
#include <variant>

// Of libstdc++'s exception_ptr, which is a pointer to the object, too.
extern "C++" {
void add_reference(void *pointer) __asm__("_ZNSt15__exception_ptr13exception_ptr9_M_addrefEv");
void release_reference(void *pointer) __asm__("_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv");
void make_pointer(void *pointer, void *object) __asm__("_ZNSt15__exception_ptr13exception_ptrC2EPv");
[[noreturn]] void throw_again(void *pointer) __asm__("_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE");
}

namespace std {

exception_ptr exception_ptr::__from_native_exception_pointer(void *object) noexcept
{
    exception_ptr pointer;
    if (object)
        make_pointer(&pointer, object);
    return pointer;
}

exception_ptr::exception_ptr(const exception_ptr &other) noexcept : __ptr_(other.__ptr_)
{
    add_reference(this);
}

exception_ptr &exception_ptr::operator=(const exception_ptr &other) noexcept
{
    if (__ptr_ != other.__ptr_) {
        release_reference(this);
        __ptr_ = other.__ptr_;
        add_reference(this);
    }
    return *this;
}

exception_ptr::~exception_ptr() noexcept
{
    release_reference(this);
}

void rethrow_exception(exception_ptr pointer)
{
    if (!pointer)
        terminate();
    throw_again(&pointer);
}

nested_exception::nested_exception() noexcept : __ptr_(current_exception()) {}

void nested_exception::rethrow_nested() const
{
    if (!__ptr_)
        terminate();
    rethrow_exception(__ptr_);
}

bad_alloc::bad_alloc() noexcept {}
bad_array_new_length::bad_array_new_length() noexcept {}
bad_cast::bad_cast() noexcept {}
bad_typeid::bad_typeid() noexcept {}

void __throw_bad_alloc()
{
    throw bad_alloc();
}

bad_optional_access::~bad_optional_access() noexcept = default;

const char *bad_optional_access::what() const noexcept
{
    return "bad_optional_access";
}

const char *bad_variant_access::what() const noexcept
{
    return "bad_variant_access";
}

const char *bad_any_cast::what() const noexcept
{
    return "bad any cast";
}

} // namespace std

_LIBCPP_BEGIN_NAMESPACE_STD

bad_function_call::~bad_function_call() noexcept = default;

const char *bad_function_call::what() const noexcept
{
    return "std::bad_function_call";
}

// A check of the library's has failed.
void __libcpp_verbose_abort(const char *format, ...) noexcept
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    abort();
}

namespace placeholders {

const __ph<1> _1{};
const __ph<2> _2{};
const __ph<3> _3{};
const __ph<4> _4{};
const __ph<5> _5{};
const __ph<6> _6{};
const __ph<7> _7{};
const __ph<8> _8{};
const __ph<9> _9{};
const __ph<10> _10{};

} // namespace placeholders

_LIBCPP_END_NAMESPACE_STD
