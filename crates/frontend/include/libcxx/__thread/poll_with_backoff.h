// Instead of libc++'s header: how waits for atomics go on until something is so. libc++ looks 64 times first, and then asks a clock in each
// round; here a thread looks once and then waits, and only waits with a time-out look at a clock, after they have waited.
#ifndef _LIBCPP___THREAD_POLL_WITH_BACKOFF_H
#define _LIBCPP___THREAD_POLL_WITH_BACKOFF_H

#include <__chrono/duration.h>
#include <__chrono/steady_clock.h>
#include <__config>

#pragma GCC system_header

_LIBCPP_BEGIN_NAMESPACE_STD

enum class __backoff_results : unsigned char {
  __continue_poll = 1,
  __poll_success,
  __timeout,
  __backoff_failure,
};

enum class __poll_with_backoff_results : unsigned char {
  __poll_success = 2,
  __timeout,
  __backoff_failure,
};

// `__backoff` waits if it is told that more than 4 µs have gone. A time-out of 0 is none.
template <class _Poll, class _Backoff>
_LIBCPP_HIDE_FROM_ABI __poll_with_backoff_results __libcpp_thread_poll_with_backoff(
    _Poll&& __poll, _Backoff&& __backoff, chrono::nanoseconds __most = chrono::nanoseconds::zero()) {
  const chrono::nanoseconds __told(4001);
  const bool __ends = __most != chrono::nanoseconds::zero();
  chrono::steady_clock::time_point __start;
  if (__ends)
    __start = chrono::steady_clock::now();
  if (__poll())
    return __poll_with_backoff_results::__poll_success;
  if (__most < chrono::nanoseconds::zero())
    return __poll_with_backoff_results::__timeout;
  for (;;) {
    const __backoff_results __result = __backoff(__told);
    if (__result != __backoff_results::__continue_poll)
      return static_cast<__poll_with_backoff_results>(__result);
    // The wait was shorter than the time-out by what it was told.
    if (__ends && chrono::steady_clock::now() - __start >= __most - __told)
      return __poll() ? __poll_with_backoff_results::__poll_success : __poll_with_backoff_results::__timeout;
  }
}

struct __spinning_backoff_policy {
  _LIBCPP_HIDE_FROM_ABI constexpr __backoff_results operator()(chrono::nanoseconds const&) const {
    return __backoff_results::__continue_poll;
  }
};

_LIBCPP_END_NAMESPACE_STD

#endif
