// The clocks of std::chrono in libc++.
#include <chrono>
#include <time.h>

_LIBCPP_BEGIN_NAMESPACE_STD

namespace chrono {

template <typename Clock> static typename Clock::time_point read(clockid_t clock)
{
    timespec now;
    clock_gettime(clock, &now);
    return typename Clock::time_point(duration_cast<typename Clock::duration>(seconds(now.tv_sec) + nanoseconds(now.tv_nsec)));
}

system_clock::time_point system_clock::now() noexcept
{
    return read<system_clock>(CLOCK_REALTIME);
}

steady_clock::time_point steady_clock::now() noexcept
{
    return read<steady_clock>(CLOCK_MONOTONIC);
}

time_t system_clock::to_time_t(const time_point &time) noexcept
{
    return time_t(duration_cast<seconds>(time.time_since_epoch()).count());
}

system_clock::time_point system_clock::from_time_t(time_t time) noexcept
{
    return time_point(seconds(time));
}

} // namespace chrono

_LIBCPP_END_NAMESPACE_STD
