// Error codes of libc++, and the exceptions that have them. Texts are those of libc++.
#include <future>
#include <stdexcept>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <system_error>

_LIBCPP_BEGIN_NAMESPACE_STD

// An exception has its own copy of its message, as in libstdc++, whose functions copy and free it (cxx_error.cc).
__libcpp_refstring::__libcpp_refstring(const char *text) : __imp_(strdup(text)) {}

_LIBCPP_END_NAMESPACE_STD

namespace std {

static_assert(sizeof(logic_error) == 2 * sizeof(void *) && sizeof(runtime_error) == 2 * sizeof(void *));

logic_error::logic_error(const string &text) : __imp_(text.c_str()) {}
runtime_error::runtime_error(const string &text) : __imp_(text.c_str()) {}

} // namespace std

_LIBCPP_BEGIN_NAMESPACE_STD

void __throw_runtime_error(const char *text)
{
    throw runtime_error(text);
}

// ---- categories of errors

error_category::~error_category() noexcept = default;

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

string error_code::message() const
{
    return __cat_->message(__val_);
}

string error_condition::message() const
{
    return __cat_->message(__val_);
}

namespace {

#include "../error_categories.h"

struct Future : error_category {
    const char *name() const noexcept override
    {
        return "future";
    }
    string message(int code) const override
    {
        switch (static_cast<future_errc>(code)) {
        case future_errc::broken_promise:
            return "The associated promise has been destructed prior to the associated state becoming ready.";
        case future_errc::future_already_retrieved:
            return "The future has already been retrieved from the promise or packaged_task.";
        case future_errc::promise_already_satisfied:
            return "The state of the promise has already been set.";
        case future_errc::no_state:
            return "Operation not permitted on an object without an associated state.";
        }
        return "unspecified future_errc value\n";
    }
};

[[clang::no_destroy]] constinit Generic generic;
[[clang::no_destroy]] constinit System of_system;
[[clang::no_destroy]] constinit Future of_futures;

} // namespace

const error_category &generic_category() noexcept
{
    return generic;
}

const error_category &system_category() noexcept
{
    return of_system;
}

const error_category &future_category() noexcept
{
    return of_futures;
}

// ---- exceptions

static string with_message(const error_code &code, string text)
{
    if (code) {
        if (!text.empty())
            text += ": ";
        text += code.message();
    }
    return text;
}

system_error::system_error(error_code code, const string &text) : runtime_error(with_message(code, text)), __ec_(code) {}
system_error::system_error(error_code code, const char *text) : runtime_error(with_message(code, text)), __ec_(code) {}
system_error::system_error(error_code code) : runtime_error(with_message(code, "")), __ec_(code) {}
system_error::system_error(int value, const error_category &category, const string &text)
    : system_error(error_code(value, category), text) {}
system_error::system_error(int value, const error_category &category, const char *text)
    : system_error(error_code(value, category), text) {}
system_error::system_error(int value, const error_category &category) : system_error(error_code(value, category)) {}
system_error::~system_error() noexcept = default;

void __throw_system_error(int code, const char *text)
{
    throw system_error(error_code(code, generic_category()), text);
}

future_error::future_error(error_code code) : logic_error(code.message()), __ec_(code) {}
future_error::~future_error() noexcept = default;

_LIBCPP_END_NAMESPACE_STD
