// Objects with owners: everything is deleted at the end, also what threads have made.
// options: --property memory,leak,cleanup
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

static std::mutex lock;
static std::vector<std::string> texts;

int main()
{
    auto shared = std::make_shared<int>(5);
    std::thread one([shared] {
        std::lock_guard<std::mutex> guard(lock);
        texts.push_back(std::string(40, 'a'));
    });
    std::thread two([shared] {
        std::lock_guard<std::mutex> guard(lock);
        texts.push_back(std::string(50, 'b'));
    });
    one.join();
    two.join();
    return texts.size() == 2 ? 0 : 1;
}
