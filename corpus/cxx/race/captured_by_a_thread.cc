// A lambda captures a variable by reference. It is called here, and by a thread that has a copy.
#include <thread>

template <class F> static void call(const F &function)
{
    function();
}

int main()
{
    int calls = 0;
    auto count = [&] {
        calls++; // expect: data-race
    };
    call(count);
    std::thread thread(count);
    call(count);
    thread.join();
    return calls - 3;
}
