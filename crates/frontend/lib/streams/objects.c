// std::cin, std::cout, std::cerr and std::clog, their buffers, and the classic locale with its
// table of characters.
//
// These are objects of C++ classes that exist before any constructor runs. So they are written here
// as the classes lay them out, as constants, and no program has to make them: one that uses no
// stream has nothing of them. The code of the classes is in ios.cc, console.cc, ostream.cc and
// istream.cc.
#include <ctype.h>
#include <stddef.h>

// A class's virtual table, by libstdc++'s name for it; an object begins with the address of an
// entry.
extern const void *const _ZTVSo[], *const _ZTVSi[], *const _ZTVSt5ctypeIcE[];
extern const void *const _ZTVN8selvedge14console_outputE[], *const _ZTVN8selvedge13console_inputE[];

// std::locale::_Impl. Nothing in it is used: there is one locale.
struct implementation {
    int references;
    const void **facets;
    size_t facets_size;
    const void **caches;
    char **names;
};

struct implementation __selvedge_classic_locale = {1, NULL, 0, NULL, NULL};

// ---- std::ctype<char>

enum {
    SPACE = _ISspace,
    CONTROL = _IScntrl,
    PRINTED = _ISprint,
    MARK = _ISpunct | _ISgraph | _ISprint,
    DIGIT = _ISdigit | _ISxdigit | _ISalnum | _ISgraph | _ISprint,
    LETTER = _ISalpha | _ISalnum | _ISgraph | _ISprint,
    HEX = _ISxdigit,
};

const unsigned short __selvedge_classes[256] = {
    [0 ... 8] = CONTROL,
    ['\t'] = CONTROL | SPACE | _ISblank,
    ['\n' ... '\r'] = CONTROL | SPACE,
    [14 ... 31] = CONTROL,
    [' '] = SPACE | _ISblank | PRINTED,
    ['!' ... '/'] = MARK,
    ['0' ... '9'] = DIGIT,
    [':' ... '@'] = MARK,
    ['A' ... 'F'] = LETTER | _ISupper | HEX,
    ['G' ... 'Z'] = LETTER | _ISupper,
    ['[' ... '`'] = MARK,
    ['a' ... 'f'] = LETTER | _ISlower | HEX,
    ['g' ... 'z'] = LETTER | _ISlower,
    ['{' ... '~'] = MARK,
    [127] = CONTROL,
};

struct characters {
    const void *const *table;
    int references;
    void *locale;
    _Bool owned;
    const int *upper, *lower;
    const unsigned short *classes;
    char widen_ok;
    char widen[256];
    char narrow[256];
    char narrow_ok;
};

#define FOUR(n) (char)(n), (char)(n + 1), (char)(n + 2), (char)(n + 3)
#define SIXTEEN(n) FOUR(n), FOUR(n + 4), FOUR(n + 8), FOUR(n + 12)
#define SIXTY_FOUR(n) SIXTEEN(n), SIXTEEN(n + 16), SIXTEEN(n + 32), SIXTEEN(n + 48)
#define ALL SIXTY_FOUR(0), SIXTY_FOUR(64), SIXTY_FOUR(128), SIXTY_FOUR(192)

struct characters __selvedge_characters = {
    &_ZTVSt5ctypeIcE[2], 1, NULL, 0, NULL, NULL, __selvedge_classes, 1, {ALL}, {ALL}, 1,
};

// ---- buffers

struct buffer {
    const void *const *table;
    char *areas[6];
    const struct implementation *locale;
    int descriptor;  // of an output
    unsigned long used; // written where streams are not synchronised with stdio
};

struct buffer _ZN8selvedge14buffer_of_coutE = {&_ZTVN8selvedge14console_outputE[2], {0}, &__selvedge_classic_locale, 1, 0};
struct buffer _ZN8selvedge14buffer_of_cerrE = {&_ZTVN8selvedge14console_outputE[2], {0}, &__selvedge_classic_locale, 2, 0};
struct buffer _ZN8selvedge13buffer_of_cinE = {&_ZTVN8selvedge13console_inputE[2], {0}, &__selvedge_classic_locale, 0, 0};

// ---- streams

struct word {
    void *pointer;
    long number;
};

// std::ios_base and std::ios.
struct ios {
    const void *const *table;
    long precision, width;
    int flags, exceptions, state;
    void *callbacks;
    struct word none, words[8];
    int word_count;
    struct word *word;
    const struct implementation *locale;
    void *tie;
    char fill;
    _Bool has_fill;
    struct buffer *buffer;
    struct characters *characters;
    const void *put, *get;
};

struct output {
    const void *const *table;
    struct ios ios;
};

struct input {
    const void *const *table;
    long count;
    struct ios ios;
};

// No output or input goes through facets for numbers here. In their place is an object whose
// virtual functions are unsupported.
void __selvedge_unsupported(const char *what);

static void no_facet(void) { __selvedge_unsupported("a facet of a std::locale for numbers"); }

static void (*const no_functions[16])(void) = {[0 ... 15] = no_facet};
void (*const *const __selvedge_no_numbers[2])(void) = {no_functions, NULL};

enum { DEC = 2, SKIPWS = 4096, UNITBUF = 8192 };

#define IOS(object, vtable, more, tied, from)                                                                             \
    {                                                                                                                     \
        .table = &vtable[8], .precision = 6, .flags = DEC | SKIPWS | more, .word_count = 8, .word = object.ios.words,     \
        .locale = &__selvedge_classic_locale, .tie = tied, .fill = ' ', .has_fill = 1, .buffer = &from,                   \
        .characters = &__selvedge_characters, .put = &__selvedge_no_numbers, .get = &__selvedge_no_numbers,               \
    }

struct output _ZSt4cout = {&_ZTVSo[3], IOS(_ZSt4cout, _ZTVSo, 0, NULL, _ZN8selvedge14buffer_of_coutE)};
struct output _ZSt4cerr = {&_ZTVSo[3], IOS(_ZSt4cerr, _ZTVSo, UNITBUF, &_ZSt4cout, _ZN8selvedge14buffer_of_cerrE)};
struct output _ZSt4clog = {&_ZTVSo[3], IOS(_ZSt4clog, _ZTVSo, 0, NULL, _ZN8selvedge14buffer_of_cerrE)};
struct input _ZSt3cin = {&_ZTVSi[3], 0, IOS(_ZSt3cin, _ZTVSi, 0, &_ZSt4cout, _ZN8selvedge13buffer_of_cinE)};

_Static_assert(sizeof(struct characters) == 576 && sizeof(struct ios) == 264, "as in libstdc++");
_Static_assert(sizeof(struct output) == 272 && sizeof(struct input) == 280, "as in libstdc++");
