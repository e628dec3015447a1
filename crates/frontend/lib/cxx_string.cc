// What libstdc++ instantiates once for all programs in its shared object, and declares `extern` in headers.
#include <memory>
#include <string>

template class std::allocator<char>;
template class std::basic_string<char>;
