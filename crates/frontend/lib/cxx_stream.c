// std::cout, std::cerr and std::clog, as far as most programs use them: text and numbers in their plain form, by libstdc++'s names for them.
// What manipulators set is kept and changes nothing, since output is for display only. Other streams are unsupported.
#include <stdio.h>

// A virtual table with just the offset of the virtual base, std::ios.
static const long table[4] = {8, 0, 0, 0};

struct stream {
    const void *table;
    char base[264];
};

struct stream _ZSt4cout = {&table[3], {0}}, _ZSt4cerr = {&table[3], {0}}, _ZSt4clog = {&table[3], {0}};

#define PRINT(stream, ...) ((stream) == &_ZSt4cout ? printf(__VA_ARGS__) : fprintf(stderr, __VA_ARGS__))

#define OUTPUT(name, type, format)                       \
    struct stream *name(struct stream *stream, type value) \
    {                                                    \
        PRINT(stream, format, value);                    \
        return stream;                                   \
    }

OUTPUT(_ZNSolsEs, short, "%d")
OUTPUT(_ZNSolsEt, unsigned short, "%u")
OUTPUT(_ZNSolsEi, int, "%d")
OUTPUT(_ZNSolsEj, unsigned, "%u")
OUTPUT(_ZNSolsEl, long, "%ld")
OUTPUT(_ZNSolsEm, unsigned long, "%lu")
OUTPUT(_ZNSolsEx, long long, "%lld")
OUTPUT(_ZNSolsEy, unsigned long long, "%llu")
OUTPUT(_ZNSolsEb, _Bool, "%d")
OUTPUT(_ZNSolsEf, float, "%g")
OUTPUT(_ZNSolsEd, double, "%g")
OUTPUT(_ZNSolsEPKv, const void *, "%p")
OUTPUT(_ZNSo3putEc, char, "%c")
OUTPUT(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_c, char, "%c")
OUTPUT(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_a, signed char, "%c")
OUTPUT(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_h, unsigned char, "%c")
OUTPUT(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc, const char *, "%s")

// A std::string begins with the address of its bytes and their number.
struct string {
    const char *bytes;
    unsigned long length;
};

struct stream *_ZStlsIcSt11char_traitsIcESaIcEERSt13basic_ostreamIT_T0_ES7_RKNSt7__cxx1112basic_stringIS4_S5_T1_EE(
    struct stream *stream, const struct string *value)
{
    PRINT(stream, "%.*s", (int)value->length, value->bytes);
    return stream;
}

struct stream *_ZNSo5writeEPKcl(struct stream *stream, const char *bytes, long length)
{
    PRINT(stream, "%.*s", (int)length, bytes);
    return stream;
}

struct stream *_ZNSo5flushEv(struct stream *stream)
{
    return stream;
}

struct stream *_ZSt5flushIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_(struct stream *stream)
{
    return stream;
}

struct stream *_ZSt4endlIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_(struct stream *stream)
{
    PRINT(stream, "\n");
    return stream;
}

// cout << endl, and what else is called with the stream.
struct stream *_ZNSolsEPFRSoS_E(struct stream *stream, struct stream *(*manipulator)(struct stream *))
{
    return manipulator(stream);
}

// cout << std::hex, and what else is called with its base.
struct stream *_ZNSolsEPFRSt8ios_baseS0_E(struct stream *stream, void *(*manipulator)(void *))
{
    manipulator(stream->base);
    return stream;
}
