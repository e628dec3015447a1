// What new[] made is given to delete.
#include <thread>

int main()
{
    int *numbers = new int[3]{};
    std::thread thread([=] { numbers[1] = 2; });
    thread.join();
    delete numbers; // expect: memory.invalid-free
    return 0;
}
