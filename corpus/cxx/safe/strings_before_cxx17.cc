// Constructors of strings that are no templates before C++17, and are in the library then.
//
// options: --std c++14
#include <cassert>
#include <string>
#include <thread>

int main()
{
    std::string word("abc"), line(3, 'a');
    std::thread thread([&word] { word += "d"; });
    thread.join();
    assert(word == "abcd" && line == "aaa");
}
