// true
// Waits for atomics of 4 bytes and of 1 byte.
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> stage;
std::atomic<bool> done;
int data;

int main()
{
    std::thread other([] {
        stage.wait(0);
        assert(data == 9);
        data = 10;
        done.store(true);
        done.notify_one();
    });
    data = 9;
    stage.store(1);
    stage.notify_all();
    done.wait(false);
    assert(data == 10);
    other.join();
}
