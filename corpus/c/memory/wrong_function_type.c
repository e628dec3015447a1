// A call through a pointer that leads to data.
static int data[4] = {1, 2, 3, 4};

int main(void)
{
    void (*function)(void) = (void (*)(void))data;
    function(); // expect: memory.invalid-pointer
    return 0;
}
