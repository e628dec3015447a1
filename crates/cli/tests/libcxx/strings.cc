// true
// Strings, and numbers in them.
#include <cassert>
#include <stdexcept>
#include <string>
#include <string_view>

int main()
{
    std::string text = "hello";
    text += ' ';
    text.append("world, this is longer than before");
    assert(text.find("world") == 6 && text.rfind('l') == 21);
    text.replace(0, 5, "Good bye");
    text.erase(8, 7);
    assert(text.substr(0, 8) == "Good bye");
    text.insert(4, "-");
    text.resize(12);
    assert(text.compare(0, 5, "Good-") == 0 && text < "H");
    std::string moved = std::move(text);
    assert(moved.size() == 12 && ("x" + moved).size() == 13);
    assert(std::to_string(-45) == "-45" && std::to_string(7ul) == "7" && std::to_string(0) == "0");
    assert(std::to_string(1.5) == "1.500000");
    assert(std::stoi("12") == 12 && std::stol("-7") == -7 && std::stoi("ff", nullptr, 16) == 255);
    size_t length;
    assert(std::stod("2.5x", &length) == 2.5 && length == 3);
    int caught = 0;
    try {
        (void)std::stoi("none");
    } catch (const std::invalid_argument &error) {
        caught += std::string(error.what()) == "stoi: no conversion";
    }
    try {
        (void)std::stoi("99999999999");
    } catch (const std::out_of_range &error) {
        caught += std::string(error.what()) == "stoi: out of range";
    }
    try {
        moved.erase(100);
    } catch (const std::out_of_range &) {
        caught++;
    }
    assert(caught == 3);
    assert(std::string_view("abc").starts_with("ab"));
}
