// The clocks of std::chrono.
#include <chrono>
#include <time.h>

template <typename Clock> static typename Clock::time_point read(clockid_t clock)
{
    timespec now;
    clock_gettime(clock, &now);
    std::chrono::nanoseconds since = std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
    return typename Clock::time_point(since);
}

namespace std::chrono {
inline namespace _V2 {

system_clock::time_point system_clock::now() noexcept { return read<system_clock>(CLOCK_REALTIME); }
steady_clock::time_point steady_clock::now() noexcept { return read<steady_clock>(CLOCK_MONOTONIC); }

} // namespace _V2
} // namespace std::chrono
