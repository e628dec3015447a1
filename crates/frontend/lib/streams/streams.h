// What the files of streams share. It comes before all other headers: libstdc++ keeps
// instantiations of its templates in its shared object, and here they are made.
#include <bits/c++config.h>
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE 0

#include <istream>
#include <ostream>
#include <streambuf>

extern "C" void __selvedge_unsupported(const char *what);

namespace selvedge {

// True if streams are synchronised with stdio: then threads may use the standard streams at once.
extern bool synchronised;

// The buffer of std::cout, std::cerr and std::clog: what is written goes to stdout or stderr at
// once.
class console_output : public std::streambuf {
  public:
    int descriptor;
    unsigned long used;

    void use();

  protected:
    int overflow(int c) override;
    std::streamsize xsputn(const char *text, std::streamsize length) override;
};

// The buffer of std::cin: what is read comes from stdin.
class console_input : public std::streambuf {
  public:
    int descriptor;
    unsigned long used;

    void use();

  protected:
    int underflow() override;
    int uflow() override;
    int pbackfail(int c) override;
};

// Objects in objects.c.
extern console_output buffer_of_cout, buffer_of_cerr;
extern "C" const std::ctype<char> __selvedge_characters;

} // namespace selvedge

namespace std {

// Every file has to know which functions have definitions of their own here: else it makes one of
// its own from the header.
template <> void basic_ios<char>::_M_cache_locale(const locale &);
template <> template <typename T> ostream &ostream::_M_insert(T);
template <> ostream &__ostream_insert(ostream &, const char *, streamsize);
template <> istream &istream::operator>>(short &);
template <> istream &istream::operator>>(int &);
template <> template <typename T> istream &istream::_M_extract(T &);
template <> streamsize __copy_streambufs_eof(streambuf *, streambuf *, bool &);
template <> const ctype<char> &use_facet<ctype<char>>(const locale &);
template <> bool has_facet<ctype<char>>(const locale &) throw();

} // namespace std
