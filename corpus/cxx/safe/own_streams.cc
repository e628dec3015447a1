// Each thread formats and parses with streams of its own; only the results meet, under a lock.
#include <cassert>
#include <iomanip>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>

static std::mutex lock;
static int total;
static std::string names[2];

static void work(int id)
{
    std::ostringstream out;
    out << "worker-" << std::setw(3) << std::setfill('0') << id << std::hex << ' ' << 255;
    std::istringstream in(out.str() + " 40 2\nthe rest");
    std::string name, hex, rest;
    int x = 0, y = 0;
    in >> name >> hex >> x >> y;
    std::getline(in >> std::ws, rest);
    assert(in.eof() && !in.fail() && hex == "ff" && rest == "the rest");
    std::lock_guard<std::mutex> guard(lock);
    names[id] = name;
    total += x + y;
}

int main()
{
    std::thread first(work, 0), second(work, 1);
    first.join();
    second.join();
    assert(total == 84 && names[0] == "worker-000" && names[1] == "worker-001");
    return 0;
}
