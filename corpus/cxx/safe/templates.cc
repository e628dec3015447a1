// A bounded buffer as a template, with two element types.
#include <cassert>
#include <mutex>
#include <thread>

template <typename T, int N> class Buffer {
  public:
    bool put(T value)
    {
        std::lock_guard<std::mutex> guard(lock);
        if (count == N)
            return false;
        values[count++] = value;
        return true;
    }
    int size()
    {
        std::lock_guard<std::mutex> guard(lock);
        return count;
    }

  private:
    std::mutex lock;
    T values[N];
    int count = 0;
};

static Buffer<int, 1> small;
static Buffer<double, 4> large;

int main()
{
    bool first = false, second = false;
    std::thread other([&] {
        first = small.put(1);
        large.put(1.5);
    });
    second = small.put(2);
    large.put(2.5);
    other.join();
    assert(first != second && small.size() == 1 && large.size() == 2);
}
