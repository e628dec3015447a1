// The hash tables of std::unordered_map and its kin: hashes of bytes and numbers of buckets (bits/hashtable_policy.h).
//
// Which order an unordered container has is its own business: these numbers are primes, but not libstdc++'s.
#include <unordered_map>

namespace std {

size_t _Hash_bytes(const void *bytes, size_t length, size_t seed)
{
    // FNV-1a.
    const unsigned char *at = static_cast<const unsigned char *>(bytes);
    size_t hash = seed ^ 0xcbf29ce484222325;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ at[i]) * 0x100000001b3;
    return hash;
}

namespace __detail {

static bool is_prime(size_t number)
{
    for (size_t divisor = 2; divisor * divisor <= number; divisor++)
        if (number % divisor == 0)
            return false;
    return number > 1;
}

size_t _Prime_rehash_policy::_M_next_bkt(size_t least) const
{
    if (least == 0)
        return 1;
    size_t buckets = least < 2 ? 2 : least;
    while (!is_prime(buckets))
        buckets++;
    _M_next_resize = static_cast<size_t>(buckets * static_cast<double>(_M_max_load_factor));
    return buckets;
}

pair<bool, size_t> _Prime_rehash_policy::_M_need_rehash(size_t buckets, size_t elements, size_t more) const
{
    if (elements + more <= _M_next_resize)
        return {false, 0};
    // At first there is one bucket, of which nobody has made sure that it is enough for anything.
    const size_t all = elements + more, least = _M_next_resize ? all : (all < 11 ? 11 : all);
    const size_t needed = static_cast<size_t>(least / static_cast<double>(_M_max_load_factor)) + 1;
    if (needed <= buckets) {
        _M_next_resize = static_cast<size_t>(buckets * static_cast<double>(_M_max_load_factor));
        return {false, 0};
    }
    return {true, _M_next_bkt(needed < 2 * buckets ? 2 * buckets : needed)};
}

} // namespace __detail
} // namespace std
