// The library's exceptions, and the functions by which its headers throw them. Messages are those of libstdc++ (gcc 12).
#include <functional>
#include <future>
#include <memory>
#include <new>
#include <stdarg.h>
#include <stdexcept>
#include <stdlib.h>
#include <string.h>
#include <system_error>
#include <typeinfo>

extern "C" void *__cxa_allocate_exception(size_t size) noexcept;

namespace std {

exception::~exception() noexcept = default;
const char *exception::what() const noexcept
{
    return "std::exception";
}

#define SIMPLE(type, text)                 \
    type::~type() noexcept = default;      \
    const char *type::what() const noexcept \
    {                                      \
        return text;                       \
    }

SIMPLE(bad_exception, "std::bad_exception")
SIMPLE(bad_alloc, "std::bad_alloc")
SIMPLE(bad_array_new_length, "std::bad_array_new_length")
SIMPLE(bad_cast, "std::bad_cast")
SIMPLE(bad_typeid, "std::bad_typeid")
SIMPLE(bad_weak_ptr, "bad_weak_ptr")
SIMPLE(bad_function_call, "bad_function_call")

// ---- messages: each exception has its own copy

static const char *copy(const char *text, size_t length)
{
    char *own = static_cast<char *>(malloc(length + 1));
    memcpy(own, text, length);
    own[length] = 0;
    return own;
}

__cow_string::__cow_string() : _M_p(copy("", 0)) {}
__cow_string::__cow_string(const string &text) : _M_p(copy(text.data(), text.size())) {}
__cow_string::__cow_string(const char *text, size_t length) : _M_p(copy(text, length)) {}
__cow_string::__cow_string(const __cow_string &other) noexcept : _M_p(copy(other._M_p, strlen(other._M_p))) {}
__cow_string::__cow_string(__cow_string &&other) noexcept : _M_p(other._M_p)
{
    other._M_p = copy("", 0);
}
__cow_string &__cow_string::operator=(const __cow_string &other) noexcept
{
    const char *old = _M_p;
    _M_p = copy(other._M_p, strlen(other._M_p));
    free(const_cast<char *>(old));
    return *this;
}
__cow_string &__cow_string::operator=(__cow_string &&other) noexcept
{
    const char *old = _M_p;
    _M_p = other._M_p;
    other._M_p = old;
    return *this;
}
__cow_string::~__cow_string()
{
    free(const_cast<char *>(_M_p));
}

#define WITH_MESSAGE(type)                                                 \
    type::type(const string &text) : _M_msg(text) {}                       \
    type::type(const char *text) : _M_msg(text, strlen(text)) {}           \
    type::type(const type &) noexcept = default;                           \
    type::type(type &&) noexcept = default;                                \
    type &type::operator=(const type &) noexcept = default;                \
    type &type::operator=(type &&) noexcept = default;                     \
    type::~type() noexcept = default;                                      \
    const char *type::what() const noexcept                                \
    {                                                                      \
        return _M_msg._M_p;                                                \
    }

WITH_MESSAGE(logic_error)
WITH_MESSAGE(runtime_error)

#define KIND_OF(base, type)                          \
    type::type(const string &text) : base(text) {}   \
    type::type(const char *text) : base(text) {}     \
    type::~type() noexcept = default;

KIND_OF(logic_error, domain_error)
KIND_OF(logic_error, invalid_argument)
KIND_OF(logic_error, length_error)
KIND_OF(logic_error, out_of_range)
KIND_OF(runtime_error, range_error)
KIND_OF(runtime_error, overflow_error)
KIND_OF(runtime_error, underflow_error)

system_error::~system_error() noexcept = default;
future_error::~future_error() noexcept = default;
const char *future_error::what() const noexcept
{
    return logic_error::what();
}

// ---- categories of errors

inline namespace _V2 {

error_category::~error_category() = default;

__cow_string error_category::_M_message(int code) const
{
    return __cow_string(message(code));
}

error_condition error_category::default_error_condition(int code) const noexcept
{
    return error_condition(code, *this);
}

bool error_category::equivalent(int code, const error_condition &condition) const noexcept
{
    return default_error_condition(code) == condition;
}

bool error_category::equivalent(const error_code &code, int condition) const noexcept
{
    return *this == code.category() && code.value() == condition;
}

} // namespace _V2

namespace {

#include "error_categories.h"

struct Future : error_category {
    const char *name() const noexcept override
    {
        return "future";
    }
    string message(int code) const override
    {
        switch (static_cast<future_errc>(code)) {
        case future_errc::promise_already_satisfied:
            return "Promise already satisfied";
        case future_errc::future_already_retrieved:
            return "Future already retrieved";
        case future_errc::broken_promise:
            return "Broken promise";
        case future_errc::no_state:
            return "No associated state";
        }
        return "Unknown error";
    }
};

[[clang::no_destroy, clang::require_constant_initialization]] Generic generic;
[[clang::no_destroy, clang::require_constant_initialization]] System of_system;
[[clang::no_destroy, clang::require_constant_initialization]] Future of_futures;

} // namespace

inline namespace _V2 {

const error_category &generic_category() noexcept
{
    return generic;
}

const error_category &system_category() noexcept
{
    return of_system;
}

} // namespace _V2

const error_category &future_category() noexcept
{
    return of_futures;
}

error_condition error_code::default_error_condition() const noexcept
{
    return category().default_error_condition(value());
}

// ---- who throws them

void __throw_bad_exception()
{
    throw bad_exception();
}
void __throw_bad_alloc()
{
    throw bad_alloc();
}
void __throw_bad_array_new_length()
{
    throw bad_array_new_length();
}
void __throw_bad_cast()
{
    throw bad_cast();
}
void __throw_bad_typeid()
{
    throw bad_typeid();
}
void __throw_bad_function_call()
{
    throw bad_function_call();
}

#define THROWS(type)                        \
    void __throw_##type(const char *text)   \
    {                                       \
        throw type(text);                   \
    }

THROWS(logic_error)
THROWS(domain_error)
THROWS(invalid_argument)
THROWS(length_error)
THROWS(out_of_range)
THROWS(runtime_error)
THROWS(range_error)
THROWS(overflow_error)
THROWS(underflow_error)

// Of formats the headers use %s, %zu and %%.
void __throw_out_of_range_fmt(const char *format, ...)
{
    string text;
    va_list arguments;
    va_start(arguments, format);
    for (; *format; format++) {
        if (*format != '%' || *++format == '%') {
            text += *format;
        } else if (*format == 's') {
            text += va_arg(arguments, const char *);
        } else {
            format++;
            char digits[20];
            char *first = digits + sizeof digits;
            size_t number = va_arg(arguments, size_t);
            do {
                *--first = '0' + number % 10;
            } while (number /= 10);
            text.append(first, digits + sizeof digits - first);
        }
    }
    va_end(arguments);
    throw out_of_range(text);
}

void __throw_system_error(int code)
{
    throw system_error(error_code(code, generic_category()));
}

void __throw_future_error(int code)
{
    throw future_error(make_error_code(static_cast<future_errc>(code)));
}

} // namespace std

extern "C" {

[[noreturn]] void __cxa_bad_cast()
{
    throw std::bad_cast();
}

[[noreturn]] void __cxa_bad_typeid()
{
    throw std::bad_typeid();
}

[[noreturn]] void __cxa_throw_bad_array_new_length()
{
    throw std::bad_array_new_length();
}

} // extern "C"
