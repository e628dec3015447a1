// words: a z
// options: --std c++20
// C++20: waiting for an atomic variable, a latch, a semaphore.
#include <atomic>
#include <cstdio>
#include <latch>
#include <semaphore>
#include <thread>
#include <vector>
static std::atomic<int> state{0};
static std::counting_semaphore<4> slots{0};
static int data[3];
int main(int argc, char **argv) {
    int n = argv[1][0] > 'm' ? 3 : 2;
    std::latch ready(n), done(n);
    std::vector<std::thread> threads;
    for (int i = 0; i < n; i++)
        threads.emplace_back([&, i] {
            state.wait(0);
            data[i] = state + i;
            ready.arrive_and_wait();
            std::printf("%d: %d\n", i, data[(i + 1) % n]);
            slots.release();
            done.count_down();
        });
    state = 10;
    state.notify_all();
    for (int i = 0; i < n; i++)
        slots.acquire();
    done.wait();
    for (auto &thread : threads)
        thread.join();
    std::printf("all\n");
}
