// true
// Error codes, and what the library throws with them.
#include <cassert>
#include <cerrno>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>

int main()
{
    std::error_code code = std::make_error_code(std::errc::no_such_file_or_directory);
    assert(code.value() == ENOENT && code.category() == std::generic_category());
    assert(code.message() == "No such file or directory");
    assert(std::error_code(EINVAL, std::system_category()) == std::errc::invalid_argument);
    assert(std::string(std::system_category().name()) == "system");
    int caught = 0;
    try {
        throw std::system_error(EACCES, std::generic_category(), "open");
    } catch (const std::runtime_error &error) {
        caught += std::string(error.what()) == "open: Permission denied";
    }
    try {
        std::thread().join();
    } catch (const std::system_error &error) {
        caught += error.code() == std::errc::invalid_argument;
    }
    try {
        std::mutex lock;
        std::unique_lock<std::mutex> holds(lock);
        holds.lock();
    } catch (const std::system_error &error) {
        caught += error.code() == std::errc::resource_deadlock_would_occur;
    }
    try {
        std::unique_lock<std::mutex>().lock();
    } catch (const std::exception &error) {
        caught += !std::string(error.what()).empty();
    }
    assert(caught == 4);
}
