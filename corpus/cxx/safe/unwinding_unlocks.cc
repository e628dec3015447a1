// An exception leaves the scopes of guards: each lock is given back on the way, and the order of clauses decides who handles it.
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <thread>

static std::mutex outer, inner;
static int balance = 3, refused;

struct too_little : std::runtime_error {
    int missing;
    explicit too_little(int missing) : std::runtime_error("too little"), missing(missing) {}
};

static void take(int amount)
{
    std::unique_lock<std::mutex> first(outer);
    std::lock_guard<std::mutex> second(inner);
    if (balance < amount)
        throw too_little(amount - balance);
    balance -= amount;
}

static void customer()
{
    try {
        take(2);
    } catch (const std::logic_error &) {
        abort();
    } catch (const too_little &error) {
        std::lock_guard<std::mutex> guard(inner);
        refused += error.missing;
    } catch (const std::runtime_error &) {
        abort();
    }
}

int main()
{
    std::thread one(customer), two(customer);
    one.join();
    two.join();
    if (balance != 1 || refused != 1)
        abort();
}
