// std::ostream. The headers have most of it; here are its instantiation for char, and the writing
// of text and numbers, which is that of printf, as the standard says it, with padding.
//
// A stream's width is set to zero after each output, but only if it is not zero already: so output
// to a standard stream writes nothing that another thread's output reads. A number that goes to a
// standard stream goes there by printf itself if that can do it, so that a symbolic value needs no
// path for each of its texts.
#include "streams.h"
#include <bits/cxxabi_forced.h>
#include <ostream>
#include <stdio.h>
#include <string>

namespace {

using std::ios_base;
using std::ostream;
using std::streamsize;

// A conversion for printf, up to the letters that say the type.
class Conversion {
    char text[48];
    int length = 0;

  public:
    Conversion()
    {
        add('%');
    }
    void add(char c)
    {
        text[length++] = c;
        text[length] = 0;
    }
    void add(const char *more)
    {
        while (*more)
            add(*more++);
    }
    void add_number(long number)
    {
        char digits[20];
        int count = 0;
        do
            digits[count++] = '0' + number % 10;
        while (number /= 10);
        while (count)
            add(digits[--count]);
    }
    const char *get() const
    {
        return text;
    }
};

void pad(ostream &out, streamsize count, bool &failed)
{
    const char fill = out.fill();
    for (; count > 0 && !failed; count--)
        failed = out.rdbuf()->sputc(fill) == EOF;
}

void put(ostream &out, const char *text, streamsize length, bool &failed)
{
    if (!failed)
        failed = out.rdbuf()->sputn(text, length) != length;
}

// How much of a number precedes the padding that is inside of it: its sign, or the 0x of its base.
streamsize prefix(const char *text, streamsize length)
{
    if (length > 0 && (text[0] == '-' || text[0] == '+'))
        return 1;
    return length > 1 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 2 : 0;
}

// Writes a text at the stream's width.
void put_padded(ostream &out, const char *text, streamsize length, bool number, bool &failed)
{
    const streamsize width = out.width();
    if (width <= length) {
        put(out, text, length, failed);
        return;
    }
    const ios_base::fmtflags adjust = out.flags() & ios_base::adjustfield;
    const bool left = adjust == ios_base::left;
    const streamsize before = left ? length : number && adjust == ios_base::internal ? prefix(text, length) : 0;
    put(out, text, before, failed);
    pad(out, width - length, failed);
    put(out, text + before, length - before, failed);
}

FILE *console(ostream &out)
{
    if (out.rdbuf() == &selvedge::buffer_of_cout)
        return stdout;
    return out.rdbuf() == &selvedge::buffer_of_cerr ? stderr : nullptr;
}

// Writes a number by a conversion's flags and its letters.
template <typename T>
void put_number(ostream &out, const char *flags, const char *letters, T value, bool &failed)
{
    const ios_base::fmtflags adjust = out.flags() & ios_base::adjustfield;
    const streamsize width = out.width();
    FILE *const file = console(out);
    Conversion conversion;
    if (file && (width <= 0 || (width < 4096 && adjust != ios_base::internal && out.fill() == ' '))) {
        if (width > 0 && adjust == ios_base::left)
            conversion.add('-');
        conversion.add(flags);
        if (width > 0)
            conversion.add_number(width);
        conversion.add(letters);
        static_cast<selvedge::console_output *>(out.rdbuf())->use();
        fprintf(file, conversion.get(), value);
        return;
    }
    conversion.add(flags);
    conversion.add(letters);
    char text[64];
    const streamsize length = snprintf(text, sizeof text, conversion.get(), value);
    if (length < static_cast<streamsize>(sizeof text)) {
        put_padded(out, text, length, true, failed);
        return;
    }
    std::string longer(length, 0);
    snprintf(&longer[0], length + 1, conversion.get(), value);
    put_padded(out, longer.data(), length, true, failed);
}

// The conversion of an integer: `letter` is that of its type in decimal.
template <typename T> void put_integer(ostream &out, const char *size, char letter, T value, bool &failed)
{
    const ios_base::fmtflags flags = out.flags(), base = flags & ios_base::basefield;
    char marks[3] = {0}, letters[4] = {0};
    int count = 0;
    if (base == ios_base::oct || base == ios_base::hex) {
        letter = base == ios_base::oct ? 'o' : flags & ios_base::uppercase ? 'X' : 'x';
        if (flags & ios_base::showbase)
            marks[count++] = '#';
    } else if (letter == 'd' && (flags & ios_base::showpos)) {
        marks[count++] = '+';
    }
    count = 0;
    while (*size)
        letters[count++] = *size++;
    letters[count] = letter;
    put_number(out, marks, letters, value, failed);
}

template <typename T> void put_float(ostream &out, const char *size, T value, bool &failed)
{
    const ios_base::fmtflags flags = out.flags(), kind = flags & ios_base::floatfield;
    const bool upper = flags & ios_base::uppercase, exact = kind == (ios_base::fixed | ios_base::scientific);
    char marks[3] = {0};
    int count = 0;
    if (flags & ios_base::showpos)
        marks[count++] = '+';
    if (flags & ios_base::showpoint)
        marks[count++] = '#';
    Conversion letters;
    const streamsize precision = out.precision() < 0 ? 6 : out.precision();
    if (!exact) {
        letters.add('.');
        letters.add_number(precision);
    }
    letters.add(size);
    letters.add(exact                         ? (upper ? 'A' : 'a')
                : kind == ios_base::fixed      ? (upper ? 'F' : 'f')
                : kind == ios_base::scientific ? (upper ? 'E' : 'e')
                                               : (upper ? 'G' : 'g'));
    put_number(out, marks, letters.get() + 1, value, failed);
}

void put_value(ostream &out, long value, bool &failed)
{
    put_integer(out, "l", 'd', value, failed);
}
void put_value(ostream &out, unsigned long value, bool &failed)
{
    put_integer(out, "l", 'u', value, failed);
}
void put_value(ostream &out, long long value, bool &failed)
{
    put_integer(out, "ll", 'd', value, failed);
}
void put_value(ostream &out, unsigned long long value, bool &failed)
{
    put_integer(out, "ll", 'u', value, failed);
}
void put_value(ostream &out, double value, bool &failed)
{
    put_float(out, "", value, failed);
}
void put_value(ostream &out, long double value, bool &failed)
{
    put_float(out, "L", value, failed);
}
void put_value(ostream &out, bool value, bool &failed)
{
    if (!(out.flags() & ios_base::boolalpha))
        put_value(out, static_cast<long>(value), failed);
    else if (value)
        put_padded(out, "true", 4, false, failed);
    else
        put_padded(out, "false", 5, false, failed);
}
// An address is a hexadecimal number, and that of nothing is 0, without 0x.
void put_value(ostream &out, const void *value, bool &failed)
{
    const bool shown = value != nullptr;
    put_number(out, shown ? "#" : "", "lx", reinterpret_cast<unsigned long>(value), failed);
}

// An output: what goes wrong in a buffer, or is thrown by it, is the stream's badbit.
template <typename Write> ostream &output(ostream &out, Write write)
{
    ostream::sentry ready(out);
    if (!ready)
        return out;
    bool failed = false;
    try {
        write(failed);
        if (out.width() != 0)
            out.width(0);
    } catch (__cxxabiv1::__forced_unwind &) {
        out._M_setstate(ios_base::badbit);
        throw;
    } catch (...) {
        out._M_setstate(ios_base::badbit);
    }
    if (failed)
        out.setstate(ios_base::badbit);
    return out;
}

} // namespace

namespace std {

template <> ostream &__ostream_insert(ostream &out, const char *text, streamsize length)
{
    return output(out, [&](bool &failed) { put_padded(out, text, length, false, failed); });
}

template <> template <typename T> ostream &ostream::_M_insert(T value)
{
    return output(*this, [&](bool &failed) { put_value(*this, value, failed); });
}

template class basic_ostream<char>;
template ostream &endl(ostream &);
template ostream &ends(ostream &);
template ostream &flush(ostream &);
template ostream &operator<<(ostream &, char);
template ostream &operator<<(ostream &, unsigned char);
template ostream &operator<<(ostream &, signed char);
template ostream &operator<<(ostream &, const char *);
template ostream &operator<<(ostream &, const unsigned char *);
template ostream &operator<<(ostream &, const signed char *);
template ostream &operator<<(ostream &, const string &);
template ostream &ostream::_M_insert(long);
template ostream &ostream::_M_insert(unsigned long);
template ostream &ostream::_M_insert(long long);
template ostream &ostream::_M_insert(unsigned long long);
template ostream &ostream::_M_insert(bool);
template ostream &ostream::_M_insert(double);
template ostream &ostream::_M_insert(long double);
template ostream &ostream::_M_insert(const void *);

} // namespace std
