// std::istream and std::iostream. The headers have most of it; here are the instantiations for
// char, and the reading of text and numbers. As the standard says, a number is read as far as its
// characters could be one, and then it is one or a failure: "1e" is none.
#include "streams.h"
#include <bits/cxxabi_forced.h>
#include <limits>
#include <stdio.h>
#include <stdlib.h>
#include <string>

namespace {

using std::ios_base;
using std::istream;
using std::numeric_limits;
using std::streambuf;
using std::streamsize;

bool is_space(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

// The value of a digit; 16 for what is none.
unsigned digit(int c)
{
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 16;
}

// What a formatted or unformatted input does to the stream's state: what is thrown by a buffer is
// its badbit.
template <typename Read> istream &input(istream &in, bool keeps_space, Read read)
{
    istream::sentry ready(in, keeps_space);
    if (!ready)
        return in;
    ios_base::iostate state = ios_base::goodbit;
    try {
        read(*in.rdbuf(), state);
    } catch (__cxxabiv1::__forced_unwind &) {
        in._M_setstate(ios_base::badbit);
        throw;
    } catch (...) {
        in._M_setstate(ios_base::badbit);
    }
    if (state)
        in.setstate(state);
    return in;
}

// ---- numbers

// Reads an integer. Its base is that of the stream's flags, or says its prefix.
template <typename T> void get_integer(ios_base::fmtflags flags, streambuf &from, ios_base::iostate &state, T &value)
{
    using Unsigned = typename std::make_unsigned<T>::type;
    const ios_base::fmtflags field = flags & ios_base::basefield;
    const bool any = field == ios_base::fmtflags(), is_signed = numeric_limits<T>::is_signed;
    unsigned base = field == ios_base::oct ? 8 : field == ios_base::hex ? 16 : 10;
    int c = from.sgetc();
    const bool negative = c == '-';
    if (negative || c == '+')
        c = from.snextc();
    bool found = false;
    if (c == '0') {
        found = true;
        c = from.snextc();
        if ((any || base == 16) && (c == 'x' || c == 'X')) {
            base = 16;
            found = false;
            c = from.snextc();
        } else if (any) {
            base = 8;
        }
    }
    const Unsigned largest = negative && is_signed ? Unsigned(numeric_limits<T>::max()) + 1 : Unsigned(numeric_limits<T>::max());
    Unsigned sum = 0;
    bool too_large = false;
    for (; digit(c) < base; c = from.snextc()) {
        const unsigned next = digit(c);
        found = true;
        if (too_large || sum > largest / base || Unsigned(sum * base) > largest - next)
            too_large = true;
        else
            sum = sum * base + next;
    }
    if (!found) {
        value = 0;
        state |= ios_base::failbit;
    } else if (too_large) {
        value = negative && is_signed ? numeric_limits<T>::min() : numeric_limits<T>::max();
        state |= ios_base::failbit;
    } else {
        value = negative ? T(-sum) : T(sum);
    }
    if (c == EOF)
        state |= ios_base::eofbit;
}

// Reads a number of a smaller type as a long: what does not fit is a failure.
template <typename T> istream &get_small(istream &in, T &value)
{
    return input(in, false, [&](streambuf &from, ios_base::iostate &state) {
        long number;
        get_integer(in.flags(), from, state, number);
        const long least = numeric_limits<T>::min(), largest = numeric_limits<T>::max();
        if (number < least || number > largest)
            state |= ios_base::failbit;
        value = number < least ? least : number > largest ? largest : number;
    });
}

// The characters that could be a decimal fraction.
std::string collect(streambuf &from, ios_base::iostate &state)
{
    std::string text;
    bool digits = false, point = false, exponent = false;
    int c = from.sgetc();
    if (c == '+' || c == '-') {
        text += static_cast<char>(c);
        c = from.snextc();
    }
    while (c != EOF) {
        const bool begins_exponent = (c == 'e' || c == 'E') && digits && !exponent;
        if (is_digit(c)) {
            digits = true;
        } else if (c == '.' && !point && !exponent) {
            point = true;
        } else if (begins_exponent) {
            exponent = true;
        } else {
            break;
        }
        text += static_cast<char>(c);
        c = from.snextc();
        if (begins_exponent && (c == '+' || c == '-')) {
            text += static_cast<char>(c);
            c = from.snextc();
        }
    }
    if (c == EOF)
        state |= ios_base::eofbit;
    return text;
}

void convert(const char *text, char **end, float &value)
{
    value = strtof(text, end);
}
void convert(const char *text, char **end, double &value)
{
    value = strtod(text, end);
}
void convert(const char *text, char **end, long double &value)
{
    value = strtold(text, end);
}

template <typename T> void get_float(streambuf &from, ios_base::iostate &state, T &value)
{
    const std::string text = collect(from, state);
    char *end;
    T result;
    convert(text.c_str(), &end, result);
    const T infinity = numeric_limits<T>::infinity(), largest = numeric_limits<T>::max();
    if (text.empty() || *end) {
        value = 0;
        state |= ios_base::failbit;
    } else if (result == infinity || result == -infinity) {
        value = result > 0 ? largest : -largest;
        state |= ios_base::failbit;
    } else {
        value = result;
    }
}

// Reads "true" or "false", and not a character more.
void get_name(streambuf &from, ios_base::iostate &state, bool &value)
{
    int c = from.sgetc();
    const char *name = c == 't' ? "true" : "false";
    value = c == 't';
    for (; *name && c == *name; name++)
        c = name[1] ? from.snextc() : from.sbumpc();
    if (*name) {
        value = false;
        state |= ios_base::failbit;
        if (c == EOF)
            state |= ios_base::eofbit;
    }
}

void get_value(istream &in, streambuf &from, ios_base::iostate &state, bool &value)
{
    if (in.flags() & ios_base::boolalpha)
        return get_name(from, state, value);
    long number;
    get_integer(in.flags(), from, state, number);
    value = number != 0;
    if (number != 0 && number != 1)
        state |= ios_base::failbit;
}
void get_value(istream &, streambuf &from, ios_base::iostate &state, float &value)
{
    get_float(from, state, value);
}
void get_value(istream &, streambuf &from, ios_base::iostate &state, double &value)
{
    get_float(from, state, value);
}
void get_value(istream &, streambuf &from, ios_base::iostate &state, long double &value)
{
    get_float(from, state, value);
}
void get_value(istream &, streambuf &from, ios_base::iostate &state, void *&value)
{
    unsigned long address;
    get_integer(ios_base::hex, from, state, address);
    value = reinterpret_cast<void *>(address);
}
template <typename T> void get_value(istream &in, streambuf &from, ios_base::iostate &state, T &value)
{
    get_integer(in.flags(), from, state, value);
}

// ---- skipping

// Skips characters up to a number of them, which may be "any", and a delimiter, which may be EOF.
void skip(streambuf &from, streamsize most, int end, streamsize &count, ios_base::iostate &state)
{
    const streamsize any = numeric_limits<streamsize>::max();
    while (most == any || count < most) {
        const int c = from.sbumpc();
        if (c == EOF) {
            state |= ios_base::eofbit;
            return;
        }
        if (count < any)
            count++;
        if (c == end)
            return;
    }
}

} // namespace

namespace std {

template <> istream &istream::operator>>(short &value)
{
    return get_small(*this, value);
}

template <> istream &istream::operator>>(int &value)
{
    return get_small(*this, value);
}

template <> template <typename T> istream &istream::_M_extract(T &value)
{
    return input(*this, false,
                 [&](streambuf &from, ios_base::iostate &state) { get_value(*this, from, state, value); });
}

template <> istream &istream::getline(char *to, streamsize size, char end)
{
    _M_gcount = 0;
    ios_base::iostate state = ios_base::goodbit;
    input(*this, true, [&](streambuf &from, ios_base::iostate &ended) {
        int c = from.sgetc();
        for (; _M_gcount + 1 < size && c != EOF && c != static_cast<unsigned char>(end); c = from.snextc()) {
            *to++ = static_cast<char>(c);
            _M_gcount++;
        }
        if (c == EOF) {
            ended |= ios_base::eofbit;
        } else if (c == static_cast<unsigned char>(end)) {
            from.sbumpc();
            _M_gcount++;
        } else {
            ended |= ios_base::failbit;
        }
        // Before an exception for the state.
        if (size > 0)
            *to = 0;
        size = 0;
    });
    if (size > 0)
        *to = 0;
    if (_M_gcount == 0)
        state |= ios_base::failbit;
    if (state)
        setstate(state);
    return *this;
}

template <> istream &istream::ignore(streamsize most)
{
    return ignore(most, EOF);
}

template <> istream &istream::ignore(streamsize most, int end)
{
    _M_gcount = 0;
    return input(*this, true, [&](streambuf &from, ios_base::iostate &state) { skip(from, most, end, _M_gcount, state); });
}

void __istream_extract(istream &in, char *to, streamsize size)
{
    bool found = false;
    input(in, false, [&](streambuf &from, ios_base::iostate &state) {
        if (in.width() > 0 && in.width() < size)
            size = in.width();
        int c = from.sgetc();
        for (; size > 1 && c != EOF && !is_space(c); c = from.snextc()) {
            *to++ = static_cast<char>(c);
            size--;
            found = true;
        }
        if (size > 1 && c == EOF)
            state |= ios_base::eofbit;
        *to = 0;
        in.width(0);
        if (!found)
            state |= ios_base::failbit;
    });
}

template <> istream &operator>>(istream &in, string &text)
{
    return input(in, false, [&](streambuf &from, ios_base::iostate &state) {
        text.erase();
        streamsize left = in.width() > 0 ? in.width() : numeric_limits<streamsize>::max();
        int c = from.sgetc();
        for (; left > 0 && c != EOF && !is_space(c); c = from.snextc()) {
            text += static_cast<char>(c);
            left--;
        }
        if (left > 0 && c == EOF)
            state |= ios_base::eofbit;
        if (in.width() != 0)
            in.width(0);
        if (text.empty())
            state |= ios_base::failbit;
    });
}

template <> istream &getline(istream &in, string &text, char end)
{
    bool found = false;
    return input(in, true, [&](streambuf &from, ios_base::iostate &state) {
        text.erase();
        int c = from.sbumpc();
        for (; c != EOF && c != static_cast<unsigned char>(end); c = from.sbumpc()) {
            text += static_cast<char>(c);
            found = true;
        }
        if (c == EOF)
            state |= found ? ios_base::eofbit : ios_base::eofbit | ios_base::failbit;
    });
}

template class basic_istream<char>;
template class basic_iostream<char>;
template istream &getline(istream &, string &);
template istream &ws(istream &);
template istream &operator>>(istream &, char &);
template istream &operator>>(istream &, unsigned char &);
template istream &operator>>(istream &, signed char &);
template istream &istream::_M_extract(unsigned short &);
template istream &istream::_M_extract(unsigned int &);
template istream &istream::_M_extract(long &);
template istream &istream::_M_extract(unsigned long &);
template istream &istream::_M_extract(long long &);
template istream &istream::_M_extract(unsigned long long &);
template istream &istream::_M_extract(bool &);
template istream &istream::_M_extract(float &);
template istream &istream::_M_extract(double &);
template istream &istream::_M_extract(long double &);
template istream &istream::_M_extract(void *&);

} // namespace std
