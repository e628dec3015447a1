// Literals are constant.
int main(void)
{
    char *text = "constant";
    text[0] = 'K'; // expect: memory.write-to-constant
    return 0;
}
