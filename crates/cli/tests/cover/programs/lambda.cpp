// words: a x
// A static variable of a lambda, whose name is in quotes; and a thread that ends by `pthread_exit`: what it captured is destroyed.
#include <cstdio>
#include <mutex>
#include <pthread.h>
#include <thread>

static std::mutex m;
static int sum;

struct Counted {
    Counted() = default;
    Counted(const Counted &) {
    }
    ~Counted() {
        std::lock_guard<std::mutex> lock(m);
        sum++;
    }
};

struct Made {
    Made() {
        sum += 100;
    }
};

int main(int argc, char **argv) {
    bool leaves = argc > 1 && argv[1][0] == 'x';
    {
        Counted counted;
        auto body = [counted, leaves] {
            static Made made;
            if (leaves)
                pthread_exit(nullptr);
            std::lock_guard<std::mutex> lock(m);
            sum += 10;
        };
        std::thread t(body), u(body), v(body);
        t.join();
        u.join();
        v.join();
    }
    std::printf("%d\n", sum);
}
