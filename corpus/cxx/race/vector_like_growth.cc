// One thread grows the buffer, the other reads from it; only the writer locks.
#include <mutex>
#include <thread>

class Numbers {
  public:
    void add(int number)
    {
        std::lock_guard<std::mutex> guard(lock);
        values[count] = number;
        count++; // expect: data-race
    }
    int size() const { return count; }

  private:
    std::mutex lock;
    int values[4], count = 0;
};

int main()
{
    Numbers numbers;
    std::thread writer([&] { numbers.add(1); });
    int seen = numbers.size();
    writer.join();
    return seen & 0;
}
