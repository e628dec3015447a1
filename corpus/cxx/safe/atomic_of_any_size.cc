// Objects of 12 bytes: no instruction changes them at once, and the compiler calls libatomic.
// variant: -DCOMPARES
// variant: -DEXCHANGES
#include <atomic>
#include <cassert>
#include <thread>

struct Three {
  int a, b, c;
};

static std::atomic<Three> all{Three{0, 0, 0}};

static void add() {
  Three now = all.load();
#ifdef EXCHANGES
  now = all.exchange(Three{1, 1, 1});
  assert(now.a == now.b && now.b == now.c);
#else
  while (!all.compare_exchange_strong(now, Three{now.a + 1, now.b + 1, now.c + 1}))
    assert(now.a == now.b && now.b == now.c);
#endif
}

int main() {
  std::thread t(add), u(add);
  t.join();
  u.join();
#ifndef EXCHANGES
  assert(all.load().a == 2 && all.load().c == 2);
#endif
  assert(!all.is_lock_free());
  all.store(Three{7, 8, 9});
  assert(all.load().b == 8);
}
