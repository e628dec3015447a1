// An object of a thread that is made in a destructor of a key, or the process in a function for its end, is not destroyed: such
// objects have ended then (glibc).
#include <cassert>
#include <cstdlib>
#include <pthread.h>
#include <thread>

static int made, gone;

struct Kept {
  Kept() { made++; }
  ~Kept() { gone++; }
  void touch() {}
};

static void of_key(void *) {
  thread_local Kept late;
  late.touch();
}

static void at_end() {
  assert(made == 2 && gone == 1);
  thread_local Kept late;
  late.touch();
}

static void last() { assert(made == 3 && gone == 1); }

int main() {
  pthread_key_t key;
  pthread_key_create(&key, of_key);
  std::thread([&] {
    thread_local Kept early;
    early.touch();
    pthread_setspecific(key, &key);
  }).join();
  assert(made == 2 && gone == 1);
  atexit(last);
  atexit(at_end);
}
