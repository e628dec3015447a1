// true
// function, optional, variant, any, tuple, bind; and what they throw.
#include <any>
#include <cassert>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <variant>

int main()
{
    std::function<int(int)> twice = [](int x) { return 2 * x; };
    std::string long_text = "a capture that does not fit into the buffer of a function";
    std::function<size_t()> captured = [long_text, number = 1L] { return long_text.size() + number; };
    assert(twice(4) == 8 && captured() == long_text.size() + 1);
    using namespace std::placeholders;
    assert(std::bind([](int a, int b) { return a - b; }, _2, 1)(0, 5) == 4);
    std::optional<std::string> maybe;
    assert(!maybe && maybe.value_or("none") == "none");
    maybe = "some";
    std::variant<int, std::string> either = 3;
    either = std::string("text");
    assert(std::get<std::string>(either) == "text" && std::holds_alternative<std::string>(either));
    assert(std::visit([](const auto &value) { return sizeof value; }, either) == sizeof(std::string));
    std::any anything = std::string("any");
    assert(std::any_cast<std::string>(anything) == "any");
    int caught = 0;
    try {
        std::function<void()>()();
    } catch (const std::bad_function_call &) {
        caught++;
    }
    try {
        maybe.reset();
        (void)maybe.value();
    } catch (const std::bad_optional_access &) {
        caught++;
    }
    try {
        (void)std::get<int>(either);
    } catch (const std::bad_variant_access &error) {
        caught += std::string(error.what()) == "bad_variant_access";
    }
    try {
        (void)std::any_cast<int>(anything);
    } catch (const std::bad_cast &) {
        caught++;
    }
    assert(caught == 4);
}
