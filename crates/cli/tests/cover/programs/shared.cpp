// words: a b
// References that several threads count, streams that several threads write to, and exceptions that leave a call of the library.
#include <atomic>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
struct Item {
    int value;
    ~Item() { std::cout << "gone " << value << std::endl; }
};
static std::atomic<int> turn{0};
int main(int argc, char **argv) {
    std::string text = argv[1];
    auto item = std::make_shared<Item>(Item{argv[1][0] % 2});
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; i++)
        threads.emplace_back([item, text, i] {
            std::string mine = text + "!";
            std::cout << "thread " << i << " has " << item->value << "\n";
            std::cout << "turn " << turn++ << mine.size() << '\n';
            try {
                std::cout << std::stoi(item->value ? "x" : "17") << "\n";
            } catch (const std::invalid_argument &) {
                std::cout << "none\n";
            }
        });
    item.reset();
    for (auto &thread : threads)
        thread.join();
    std::cout << "end " << turn << "\n";
}
