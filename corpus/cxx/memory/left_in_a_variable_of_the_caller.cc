// A function leaves the address of its variable in a variable of its caller, which is private but
// lives longer: what is read there later must not be what another call has in that place.
struct Holder {
    const int *pointer;
};

static void leave(Holder &holder)
{
    int inner = 1;
    holder.pointer = &inner;
}

static int another()
{
    int other = 2;
    int *pointer = &other;
    return *pointer;
}

static int read(const Holder &holder)
{
    return *holder.pointer; // expect: memory.use-after-return, memory.use-after-scope
}

int main()
{
    Holder holder;
    leave(holder);
    int sum = another();
    return sum + read(holder);
}
