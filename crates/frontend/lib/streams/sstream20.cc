// String streams as C++20 has them: some of their functions have other names there.
#include "sstream.cc"
