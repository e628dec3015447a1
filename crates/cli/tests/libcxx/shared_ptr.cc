// true
// An object that threads share, and one that looks for it.
#include <cassert>
#include <memory>
#include <thread>

struct Thing {
    static int alive;
    int value;
    explicit Thing(int value) : value(value) { ++alive; }
    ~Thing() { --alive; }
};
int Thing::alive;

int main()
{
    std::shared_ptr<Thing> thing = std::make_shared<Thing>(6);
    std::weak_ptr<Thing> weak = thing;
    std::thread reader([own = thing] { assert(own->value == 6); });
    std::thread finder([weak] {
        if (std::shared_ptr<Thing> found = weak.lock())
            assert(found->value == 6);
    });
    thing.reset();
    reader.join();
    finder.join();
    assert(Thing::alive == 0);
    assert(weak.expired());
    bool caught = false;
    try {
        std::shared_ptr<Thing> none(weak);
    } catch (const std::bad_weak_ptr &) {
        caught = true;
    }
    assert(caught);
    std::shared_ptr<int> with_deleter(new int(3), [](int *pointer) { delete pointer; });
    assert(with_deleter.use_count() == 1);
}
