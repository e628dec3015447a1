// std::random_device: the system's random numbers (entropy.c).
#include <random>
#include <string>
#include <unistd.h>

namespace std {

void random_device::_M_init(const string &)
{
}

void random_device::_M_fini()
{
}

random_device::result_type random_device::_M_getval()
{
    result_type number;
    getentropy(&number, sizeof number);
    return number;
}

} // namespace std
