// What libstdc++ instantiates once for all programs in its shared object, and declares `extern` in headers.
// As the shared object does: with the constructors that are no templates before C++17.
#define _GLIBCXX_DEFINING_STRING_INSTANTIATIONS 1
#include <memory>
#include <string>

template class std::allocator<char>;
template class std::basic_string<char>;
