// call_once whose routine throws: who called it gets the exception, and the next one runs it again. The same for a local static.
#include <cstdlib>
#include <mutex>
#include <thread>

static std::once_flag flag;
static int calls, tries;

static void prepare()
{
    if (calls++ == 0)
        throw calls;
}

static int value()
{
    if (tries++ == 0)
        throw tries;
    return 7;
}

static void user()
{
    for (int failed = 0;; failed++) {
        try {
            std::call_once(flag, prepare);
            break;
        } catch (int call) {
            if (call != 1 || failed)
                abort();
        }
    }
    if (calls != 2)
        abort();
    for (;;) {
        try {
            static int kept = value();
            if (kept != 7)
                abort();
            return;
        } catch (int) {
        }
    }
}

int main()
{
    std::thread other(user);
    user();
    other.join();
    if (calls != 2 || tries != 2)
        abort();
}
