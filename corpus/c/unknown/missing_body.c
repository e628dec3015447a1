// A function of the program itself whose body was not given.
// unknown: elsewhere
int elsewhere(int x);

int main(void)
{
    return elsewhere(1) & 0;
}
