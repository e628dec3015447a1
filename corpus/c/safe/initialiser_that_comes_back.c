// An address in an initialiser is outside of its object, and comes back before it is used.
static char a[16];

int main(void)
{
    static char *place = a + 200;
    place -= 199;
    *place = 1;
    return a[1] - 1;
}
