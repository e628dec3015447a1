// words: a
// A thread reads its own handle, which is where it belongs before the thread starts; and one detaches itself.
#include <cstdio>
#include <semaphore.h>
#include <thread>

static sem_t gone;

struct Worker {
    bool same = false;
    std::thread thread;
    Worker() : thread([this] { same = thread.get_id() == std::this_thread::get_id(); }) {}
};

struct Loner {
    std::thread thread;
    Loner()
        : thread([this] {
              thread.detach();
              sem_post(&gone);
          }) {}
};

int main(int argc, char **argv) {
    sem_init(&gone, 0, 0);
    Worker worker;
    worker.thread.join();
    Loner loner;
    sem_wait(&gone);
    std::printf("%d %d\n", worker.same, loner.thread.joinable());
    return argc > 2 || argv == nullptr;
}
