// Strings of libc++: what its headers declare `extern`, and conversions from and to numbers.
#include <charconv>
#include <errno.h>
#include <limits>
#include <stdexcept>
#include <stdio.h>
#include <stdlib.h>
#include <string>
#include <wchar.h>

_LIBCPP_BEGIN_NAMESPACE_STD

#define MAKE(...) template __VA_ARGS__;
_LIBCPP_STRING_V1_EXTERN_TEMPLATE_LIST(MAKE, char)
_LIBCPP_STRING_V1_EXTERN_TEMPLATE_LIST(MAKE, wchar_t)
template string operator+<char, char_traits<char>, allocator<char>>(const char *, const string &);

// ---- numbers in strings

namespace {

// Converts by a function of C; says what is wrong as libc++ does. errno stays as it was.
template <typename Number, typename Character, typename Convert>
Number parsed(const char *name, const basic_string<Character> &text, size_t *length, Convert convert)
{
    const Character *first = text.c_str();
    Character *last = nullptr;
    const int before = errno;
    errno = 0;
    const Number number = convert(first, &last);
    const int error = errno;
    errno = before;
    if (error == ERANGE)
        __throw_out_of_range((string(name) + ": out of range").c_str());
    if (last == first)
        __throw_invalid_argument((string(name) + ": no conversion").c_str());
    if (length)
        *length = last - first;
    return number;
}

int to_int(long number)
{
    if (number < numeric_limits<int>::min() || number > numeric_limits<int>::max())
        __throw_out_of_range("stoi: out of range");
    return static_cast<int>(number);
}

template <typename Number> string printed(Number number)
{
    char digits[numeric_limits<Number>::digits10 + 2];
    return string(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

template <typename Number> string printed(const char *format, Number number)
{
    char text[numeric_limits<Number>::max_exponent10 + 20];
    return string(text, snprintf(text, sizeof text, format, number));
}

wstring widened(const string &text)
{
    return wstring(text.begin(), text.end());
}

} // namespace

#define PARSES(name, type, narrow, wide)                                                                \
    type name(const string &text, size_t *length, int base)                                             \
    {                                                                                                   \
        auto convert = [base](const char *first, char **last) { return narrow(first, last, base); };    \
        return parsed<type>(#name, text, length, convert);                                              \
    }                                                                                                   \
    type name(const wstring &text, size_t *length, int base)                                            \
    {                                                                                                   \
        auto convert = [base](const wchar_t *first, wchar_t **last) { return wide(first, last, base); }; \
        return parsed<type>(#name, text, length, convert);                                              \
    }

PARSES(stol, long, strtol, wcstol)
PARSES(stoul, unsigned long, strtoul, wcstoul)
PARSES(stoll, long long, strtoll, wcstoll)
PARSES(stoull, unsigned long long, strtoull, wcstoull)

#define PARSES_REAL(name, type, narrow, wide)                    \
    type name(const string &text, size_t *length)                \
    {                                                            \
        return parsed<type>(#name, text, length, narrow);        \
    }                                                            \
    type name(const wstring &text, size_t *length)               \
    {                                                            \
        return parsed<type>(#name, text, length, wide);          \
    }

PARSES_REAL(stof, float, strtof, wcstof)
PARSES_REAL(stod, double, strtod, wcstod)
PARSES_REAL(stold, long double, strtold, wcstold)

int stoi(const string &text, size_t *length, int base)
{
    auto convert = [base](const char *first, char **last) { return strtol(first, last, base); };
    return to_int(parsed<long>("stoi", text, length, convert));
}

int stoi(const wstring &text, size_t *length, int base)
{
    auto convert = [base](const wchar_t *first, wchar_t **last) { return wcstol(first, last, base); };
    return to_int(parsed<long>("stoi", text, length, convert));
}

#define PRINTS(type)                              \
    string to_string(type number)                 \
    {                                             \
        return printed(number);                   \
    }                                             \
    wstring to_wstring(type number)               \
    {                                             \
        return widened(printed(number));          \
    }

PRINTS(int)
PRINTS(unsigned)
PRINTS(long)
PRINTS(unsigned long)
PRINTS(long long)
PRINTS(unsigned long long)

#define PRINTS_REAL(type, format)                 \
    string to_string(type number)                 \
    {                                             \
        return printed(format, number);           \
    }                                             \
    wstring to_wstring(type number)               \
    {                                             \
        return widened(printed(format, number));  \
    }

PRINTS_REAL(float, "%f")
PRINTS_REAL(double, "%f")
PRINTS_REAL(long double, "%Lf")

_LIBCPP_END_NAMESPACE_STD
