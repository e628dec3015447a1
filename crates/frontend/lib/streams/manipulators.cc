// The manipulators with an argument, all of whose code is in headers.
#include "streams.h"
#include <iomanip>

namespace std {

#define BOTH(type)                           \
    template ostream &operator<<(ostream &, type); \
    template istream &operator>>(istream &, type);

BOTH(_Setfill<char>)
BOTH(_Setiosflags)
BOTH(_Resetiosflags)
BOTH(_Setbase)
BOTH(_Setprecision)
BOTH(_Setw)

} // namespace std
