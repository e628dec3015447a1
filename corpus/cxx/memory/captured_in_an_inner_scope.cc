// A lambda of an outer scope's variable captures a variable of an inner one, whose scope has ended.
struct Holder {
    int *pointer;
};

int main()
{
    Holder holder{nullptr};
    for (int round = 0; round < 1; round++) {
        int inner = round;
        auto leave = [&] { holder.pointer = &inner; };
        leave();
    }
    return *holder.pointer; // expect: memory.use-after-scope, memory.use-after-return
}
