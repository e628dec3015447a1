// Threads may write to a standard stream at once: it is synchronised with stdio.
#include <iostream>
#include <string>
#include <thread>

static void say(int id)
{
    const std::string name = "thread ";
    std::cout << name << id << ' ' << 1.5 << true << '\n';
    std::cerr << "error of " << id << std::endl;
}

int main()
{
    std::thread other(say, 1);
    say(2);
    other.join();
    return std::cout.good() ? 0 : 1;
}
