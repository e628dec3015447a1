// A store to one object and a load of another one, of a size that needs a lock, order nothing, and neither does a relaxed flag.
// variant: -DRELAXED
// variant: -DAPART
#include <atomic>
#include <thread>

struct Three {
  int a, b, c;
};

static std::atomic<Three> x, y;
static std::atomic<int> flag;
static int data;

int main() {
  std::thread t([] {
    data = 1;
#ifdef RELAXED
    x.store(Three{1, 1, 1}, std::memory_order_relaxed);
#else
    x.store(Three{1, 1, 1});
#endif
    flag.store(1, std::memory_order_relaxed);
  });
  if (flag.load(std::memory_order_relaxed) == 1) {
#ifdef RELAXED
    (void)x.load();
#else
    (void)y.load();
#endif
    data++; // expect: data-race
  }
  t.join();
}
