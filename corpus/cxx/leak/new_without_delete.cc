// new without delete, of one object and of an array; delete of what has a member of its own.
// options: --property memory,leak
struct Text {
    char *bytes = new char[10]; // expect: memory.leak
};

static int sum(int count)
{
    int *numbers = new int[count](); // expect: memory.leak
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += numbers[i];
    return sum;
}

int main()
{
    Text *text = new Text;
    delete text;
    return sum(3);
}
