// std::expected of libc++, in C++23 only.
#include <expected>

#if __cplusplus > 202002L

_LIBCPP_BEGIN_NAMESPACE_STD

const char *bad_expected_access<void>::what() const noexcept
{
    return "bad access to std::expected";
}

_LIBCPP_END_NAMESPACE_STD

#endif
