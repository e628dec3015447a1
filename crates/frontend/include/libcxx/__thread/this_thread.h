// Instead of libc++'s header, which compares lengths as long double. The machine has no such numbers.
#ifndef _LIBCPP___THREAD_THIS_THREAD_H
#define _LIBCPP___THREAD_THIS_THREAD_H

#include <__chrono/duration.h>
#include <__chrono/steady_clock.h>
#include <__chrono/time_point.h>
#include <__condition_variable/condition_variable.h>
#include <__config>
#include <__mutex/mutex.h>
#include <__mutex/unique_lock.h>
#include <__thread/support.h>

#pragma GCC system_header

_LIBCPP_BEGIN_NAMESPACE_STD

namespace this_thread {

_LIBCPP_EXPORTED_FROM_ABI void sleep_for(const chrono::nanoseconds& __length);

// A length of 292 years or more is the longest one.
template <class _Rep, class _Period>
_LIBCPP_HIDE_FROM_ABI void sleep_for(const chrono::duration<_Rep, _Period>& __length) {
  if (__length <= chrono::duration<_Rep, _Period>::zero())
    return;
  chrono::nanoseconds __all = chrono::nanoseconds::max();
  if (chrono::duration<double>(__length).count() < 9223372036.0) {
    __all = chrono::duration_cast<chrono::nanoseconds>(__length);
    if (__all < __length)
      ++__all;
  }
  this_thread::sleep_for(__all);
}

template <class _Clock, class _Duration>
_LIBCPP_HIDE_FROM_ABI void sleep_until(const chrono::time_point<_Clock, _Duration>& __end) {
  mutex __own;
  condition_variable __nobody;
  unique_lock<mutex> __held(__own);
  while (_Clock::now() < __end)
    __nobody.wait_until(__held, __end);
}

template <class _Duration>
inline _LIBCPP_HIDE_FROM_ABI void sleep_until(const chrono::time_point<chrono::steady_clock, _Duration>& __end) {
  this_thread::sleep_for(__end - chrono::steady_clock::now());
}

inline _LIBCPP_HIDE_FROM_ABI void yield() _NOEXCEPT { __libcpp_thread_yield(); }

} // namespace this_thread

_LIBCPP_END_NAMESPACE_STD

#endif
