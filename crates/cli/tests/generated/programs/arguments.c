// Two arguments of at most two bytes.
// options: --symbolic-args 2:2
// cases: 4
#include <stdio.h>

int main(int argc, char **argv) {
    printf("%d", argc);
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-')
            putchar('-');
        else
            putchar('.');
    }
    return 0;
}
