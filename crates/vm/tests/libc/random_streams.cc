// Random numbers, flags, widths and precisions, by a generator of its own: written to a string and
// to the standard stream, and read back.
#include <cmath>
#include <cstring>
#include <iomanip>
#include <iostream>
#include <sstream>

static unsigned long seed = 12345;

static unsigned long random_bits()
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static unsigned below(unsigned limit)
{
    return random_bits() % limit;
}

static double random_double()
{
    double value;
    unsigned long bits = random_bits();
    switch (below(4)) {
    case 0:
        return static_cast<long>(bits % 2001) - 1000;
    case 1:
        return (static_cast<long>(bits % 2000001) - 1000000) / 1000.0;
    case 2:
        return ldexp(static_cast<double>(bits % 1000003), static_cast<int>(below(80)) - 60);
    }
    memcpy(&value, &bits, sizeof value);
    return value == value ? value : 0;
}

static void shape(std::ostream &out, std::ios_base::fmtflags flags, int width, int precision, char fill)
{
    out.flags(flags);
    out.width(width);
    out.precision(precision);
    out.fill(fill);
}

template <typename T> void round_trip(T value)
{
    const auto flags = std::ios_base::fmtflags(random_bits() & 0x5fff);
    const int width = below(3) ? 0 : below(30), precision = below(20);
    const char fill = below(2) ? ' ' : "0*"[below(2)];
    std::ostringstream out;
    shape(out, flags, width, precision, fill);
    out << value;
    shape(std::cout, flags, width, precision, fill);
    std::cout << value;
    std::cout.flags(std::ios_base::dec);
    std::cout << ' ' << out.str() << '|' << out.width();
    std::istringstream in(out.str());
    in.flags(flags | std::ios_base::skipws);
    T again = T();
    in >> again;
    std::cout.precision(17);
    std::cout << ' ' << again << ' ' << in.rdstate() << '\n';
}

int main()
{
    for (int i = 0; i < 120; i++) {
        round_trip(random_double());
        round_trip(static_cast<float>(below(100000) / 64.0f - 500));
        const unsigned shift = below(64);
        round_trip(static_cast<long>(random_bits()) >> shift);
        round_trip(random_bits() >> shift);
        round_trip(static_cast<int>(random_bits() >> 32) >> (shift / 2));
        round_trip(static_cast<unsigned>(random_bits()) >> (shift / 2));
        round_trip(static_cast<short>(random_bits()));
        round_trip(static_cast<unsigned short>(random_bits()));
        round_trip(static_cast<bool>(below(2)));
    }
    return 0;
}
