// The hash tables of libc++: numbers of buckets and hashes of bytes; and std::sort for the built-in types.
#include <algorithm>
#include <unordered_map>

_LIBCPP_BEGIN_NAMESPACE_STD

static bool is_prime(size_t number)
{
    for (size_t divisor = 2; divisor * divisor <= number; divisor++)
        if (number % divisor == 0)
            return false;
    return number > 1;
}

// The least prime that is not less; none for none.
size_t __next_prime(size_t least)
{
    if (least == 0)
        return 0;
    while (!is_prime(least))
        least++;
    return least;
}

// FNV-1a: the numbers are not those of libc++, whose hashes are its own business.
size_t __hash_memory(_LIBCPP_NOESCAPE const void *bytes, size_t length) noexcept
{
    const unsigned char *at = static_cast<const unsigned char *>(bytes);
    size_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ at[i]) * 0x100000001b3;
    return hash;
}

// ---- std::sort

// Of the order, only the type is given. A part that is split too often is sorted in another way.
template <class Less, class Iterator> void __sort(Iterator first, Iterator last, Less)
{
    __less<> less;
    ptrdiff_t depth = 0;
    for (size_t length = last - first; length > 1; length /= 2)
        depth += 2;
    std::__introsort<_ClassicAlgPolicy, __less<> &, Iterator, __use_branchless_sort<__less<>, Iterator>>(first, last, less, depth);
}

#define SORTS(type) template void __sort<__less<type> &, type *>(type *, type *, __less<type> &);

SORTS(char)
SORTS(wchar_t)
SORTS(signed char)
SORTS(unsigned char)
SORTS(short)
SORTS(unsigned short)
SORTS(int)
SORTS(unsigned)
SORTS(long)
SORTS(unsigned long)
SORTS(long long)
SORTS(unsigned long long)
SORTS(float)
SORTS(double)
SORTS(long double)

_LIBCPP_END_NAMESPACE_STD
