// Three bytes of standard input: words are counted.
// options: --symbolic-stdin 3
// same-ways
// cases: 8
#include <stdio.h>

int main(void) {
    int within = 0, words = 0, byte;
    while ((byte = getchar()) != EOF) {
        if (byte == ' ') {
            within = 0;
        } else if (!within) {
            within = 1;
            words++;
        }
    }
    printf("%d words\n", words);
    return words;
}
