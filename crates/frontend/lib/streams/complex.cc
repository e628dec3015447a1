// The writing and reading of complex numbers, all of whose code is in headers.
#include "streams.h"
#include <complex>

namespace std {

#define BOTH(type)                                               \
    template ostream &operator<<(ostream &, const complex<type> &); \
    template istream &operator>>(istream &, complex<type> &);

BOTH(float)
BOTH(double)
BOTH(long double)

} // namespace std
