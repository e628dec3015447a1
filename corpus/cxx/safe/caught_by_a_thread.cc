// Both threads catch what they throw.
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

static std::map<std::string, int> stock{{"apple", 1}};
static std::mutex lock;
static int missing;

static void take(const char *name)
{
    std::lock_guard<std::mutex> guard(lock);
    try {
        stock.at(name)--;
    } catch (const std::out_of_range &) {
        missing++;
    }
}

int main()
{
    std::thread one(take, "apple"), two(take, "pear");
    one.join();
    two.join();
    return missing - 1;
}
