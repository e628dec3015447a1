// A program without inputs has one case.
// cases: 1
#include <stdio.h>

int main(void) {
    printf("%s %.3f\n", "nothing to choose", 2.5);
    fprintf(stderr, "and to the other stream\n");
    return 7;
}
