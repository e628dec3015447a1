// words: a c f
#include <future>
#include <iostream>
int work(int x) { if (x % 3 == 0) throw 7; return x * 2; }
int main(int argc, char **argv) {
    int n = argc > 1 ? argv[1][0] : 1;
    auto a = std::async(std::launch::async, work, n);
    auto b = std::async(std::launch::async, [n] { return n + 1; });
    std::promise<int> p;
    std::promise<void> go;
    std::thread t([&] {
        go.get_future().wait();
        p.set_value(5);
    });
    go.set_value();
    try { std::cout << a.get() << "\n"; } catch (int e) { std::cout << "threw " << e << "\n"; }
    std::cout << b.get() + p.get_future().get() << "\n";
    t.join();
}
