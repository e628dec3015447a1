// What libstdc++ keeps out of headers of std::ios_base, std::locale and std::ctype<char>; and
// std::ios and std::streambuf.
//
// There is one locale, the classic one, and it has one facet, of characters. Numbers are written
// and read by code of streams itself (ostream.cc, istream.cc), which is what the classic locale's
// facets would do.
#include "streams.h"
#include <stdio.h>
#include <string.h>
#include <system_error>

extern "C" char __selvedge_classic_locale[], __selvedge_no_numbers[];
extern "C" const std::ctype_base::mask __selvedge_classes[256];

namespace std {

// ---- the classic locale

locale::locale() throw() : _M_impl(reinterpret_cast<_Impl *>(__selvedge_classic_locale)) {}
locale::locale(const locale &other) throw() : _M_impl(other._M_impl) {}
locale::locale(const char *name) : locale()
{
    if (strcmp(name, "C") && strcmp(name, "POSIX") && *name)
        __selvedge_unsupported("a std::locale other than \"C\"");
}
locale::~locale() throw() = default;

const locale &locale::operator=(const locale &other) throw()
{
    _M_impl = other._M_impl;
    return *this;
}

bool locale::operator==(const locale &other) const throw()
{
    return _M_impl == other._M_impl;
}

string locale::name() const
{
    return "C";
}

// A std::locale is the address of its implementation.
static char *const classic_locale = __selvedge_classic_locale;

const locale &locale::classic()
{
    return reinterpret_cast<const locale &>(classic_locale);
}

locale locale::global(const locale &)
{
    return locale();
}

locale::facet::~facet() = default;

// ---- characters

ctype<char>::~ctype() = default;

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

char ctype<char>::do_toupper(char c) const
{
    return is_lower(c) ? c - 'a' + 'A' : c;
}

char ctype<char>::do_tolower(char c) const
{
    return is_upper(c) ? c - 'A' + 'a' : c;
}

const char *ctype<char>::do_toupper(char *from, const char *to) const
{
    for (; from < to; from++)
        *from = do_toupper(*from);
    return to;
}

const char *ctype<char>::do_tolower(char *from, const char *to) const
{
    for (; from < to; from++)
        *from = do_tolower(*from);
    return to;
}

// The tables are complete from the start.
void ctype<char>::_M_widen_init() const {}
void ctype<char>::_M_narrow_init() const {}

const ctype_base::mask *ctype<char>::classic_table() throw()
{
    return __selvedge_classes;
}

template <> const ctype<char> &use_facet<ctype<char>>(const locale &)
{
    return selvedge::__selvedge_characters;
}

template <> bool has_facet<ctype<char>>(const locale &) throw()
{
    return true;
}

// ---- std::ios_base

// The first numbers are libstdc++'s own.
static int last_index = 3;

int ios_base::xalloc() throw()
{
    return __atomic_add_fetch(&last_index, 1, __ATOMIC_ACQ_REL);
}

ios_base::ios_base() throw()
    : _M_precision(), _M_width(), _M_flags(), _M_exception(), _M_streambuf_state(), _M_callbacks(nullptr),
      _M_word_size(_S_local_word_size), _M_word(_M_local_word)
{
}

void ios_base::_M_init() throw()
{
    _M_precision = 6;
    _M_width = 0;
    _M_flags = skipws | dec;
    _M_ios_locale = locale();
}

ios_base::~ios_base()
{
    _M_call_callbacks(erase_event);
    _M_dispose_callbacks();
    if (_M_word != _M_local_word)
        delete[] _M_word;
}

void ios_base::register_callback(event_callback function, int index)
{
    _M_callbacks = new _Callback_list(function, index, _M_callbacks);
}

void ios_base::_M_call_callbacks(event what) throw()
{
    for (_Callback_list *each = _M_callbacks; each; each = each->_M_next) {
        try {
            each->_M_fn(what, *this, each->_M_index);
        } catch (...) {
        }
    }
}

// A list may be the tail of another one's: the first element that others refer to ends what is
// deleted.
void ios_base::_M_dispose_callbacks() throw()
{
    _Callback_list *each = _M_callbacks;
    while (each && each->_M_remove_reference() == 0) {
        _Callback_list *const next = each->_M_next;
        delete each;
        each = next;
    }
    _M_callbacks = nullptr;
}

ios_base::_Words &ios_base::_M_grow_words(int index, bool number)
{
    // An index that no xalloc() gave may be too large; then a word for nothing is shared.
    if (index < 0 || index >= 1 << 20) {
        _M_streambuf_state |= badbit;
        if (_M_streambuf_state & _M_exception)
            __throw_ios_failure("ios_base::_M_grow_words is not valid");
        if (number)
            _M_word_zero._M_iword = 0;
        else
            _M_word_zero._M_pword = nullptr;
        return _M_word_zero;
    }
    const int size = index + 1;
    _Words *const more = new _Words[size];
    for (int i = 0; i < _M_word_size; i++)
        more[i] = _M_word[i];
    if (_M_word != _M_local_word)
        delete[] _M_word;
    _M_word = more;
    _M_word_size = size;
    return _M_word[index];
}

locale ios_base::imbue(const locale &next) throw()
{
    const locale before = _M_ios_locale;
    _M_ios_locale = next;
    _M_call_callbacks(imbue_event);
    return before;
}

void ios_base::_M_move(ios_base &from) noexcept
{
    _M_precision = from._M_precision;
    _M_width = from._M_width;
    _M_flags = from._M_flags;
    _M_exception = from._M_exception;
    _M_streambuf_state = from._M_streambuf_state;
    _M_ios_locale = from._M_ios_locale;
    _M_call_callbacks(erase_event);
    _M_dispose_callbacks();
    _M_callbacks = from._M_callbacks;
    from._M_callbacks = nullptr;
    if (_M_word != _M_local_word)
        delete[] _M_word;
    _M_word_size = from._M_word_size;
    if (from._M_word == from._M_local_word) {
        _M_word = _M_local_word;
        for (int i = 0; i < _S_local_word_size; i++)
            _M_local_word[i] = from._M_local_word[i];
    } else {
        _M_word = from._M_word;
        from._M_word = from._M_local_word;
        from._M_word_size = _S_local_word_size;
    }
    for (_Words &each : from._M_local_word)
        each = _Words();
}

void ios_base::_M_swap(ios_base &other) noexcept
{
    std::swap(_M_precision, other._M_precision);
    std::swap(_M_width, other._M_width);
    std::swap(_M_flags, other._M_flags);
    std::swap(_M_exception, other._M_exception);
    std::swap(_M_streambuf_state, other._M_streambuf_state);
    std::swap(_M_ios_locale, other._M_ios_locale);
    std::swap(_M_callbacks, other._M_callbacks);
    const bool own = _M_word == _M_local_word, others = other._M_word == other._M_local_word;
    std::swap(_M_local_word, other._M_local_word);
    std::swap(_M_word, other._M_word);
    std::swap(_M_word_size, other._M_word_size);
    if (others)
        _M_word = _M_local_word;
    if (own)
        other._M_word = other._M_local_word;
}

// ---- failures

namespace {

struct Stream : error_category {
    const char *name() const noexcept override
    {
        return "iostream";
    }
    string message(int code) const override
    {
        return code == static_cast<int>(io_errc::stream) ? "iostream error" : "Unknown error";
    }
};

[[clang::no_destroy, clang::require_constant_initialization]] Stream of_streams;

} // namespace

const error_category &iostream_category() noexcept
{
    return of_streams;
}

ios_base::failure::failure(const string &text) : system_error(make_error_code(io_errc::stream), text) {}
ios_base::failure::failure(const string &text, const error_code &code) : system_error(code, text) {}
ios_base::failure::failure(const char *text, const error_code &code) : system_error(code, text) {}
ios_base::failure::~failure() noexcept = default;
const char *ios_base::failure::what() const throw()
{
    return system_error::what();
}

void __throw_ios_failure(const char *text)
{
    throw ios_base::failure(text);
}

void __throw_ios_failure(const char *text, int number)
{
    throw ios_base::failure(text, number ? error_code(number, generic_category()) : io_errc::stream);
}

// ---- std::ios and std::streambuf

template <> void basic_ios<char>::_M_cache_locale(const locale &)
{
    _M_ctype = &selvedge::__selvedge_characters;
    _M_num_put = reinterpret_cast<const __num_put_type *>(__selvedge_no_numbers);
    _M_num_get = reinterpret_cast<const __num_get_type *>(__selvedge_no_numbers);
}

template class basic_ios<char>;

template <> streamsize __copy_streambufs_eof(streambuf *from, streambuf *to, bool &ended)
{
    streamsize copied = 0;
    for (int c = from->sgetc(); c != EOF; c = from->snextc()) {
        if (to->sputc(static_cast<char>(c)) == EOF) {
            ended = false;
            return copied;
        }
        copied++;
    }
    ended = true;
    return copied;
}

template class basic_streambuf<char>;
template streamsize __copy_streambufs(streambuf *, streambuf *);

} // namespace std
