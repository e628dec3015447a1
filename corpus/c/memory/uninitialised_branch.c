// An undefined value decides a branch.
#pragma clang diagnostic ignored "-Wuninitialized"
int main(void)
{
    int x;
    if (x > 0) // expect: memory.uninitialized
        return 0;
    return 0;
}
