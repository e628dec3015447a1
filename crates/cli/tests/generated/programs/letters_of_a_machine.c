// A little machine that reads four letters: connect, send, close; anything else ends it.
// cases: 81
#include <stdio.h>
extern char __VERIFIER_nondet_char(void);

enum state { IDLE, OPEN, CLOSED };

int main(void) {
    enum state state = IDLE;
    int sent = 0;
    for (int i = 0; i < 4; i++) {
        char letter = __VERIFIER_nondet_char();
        if (letter == 'c' && state == IDLE) {
            state = OPEN;
            putchar('c');
        } else if (letter == 's' && state == OPEN) {
            sent++;
            putchar('s');
        } else if (letter == 'x' && state == OPEN) {
            state = CLOSED;
            putchar('x');
        } else if (letter == '.') {
            putchar('.');
        } else {
            putchar('!');
            return 10 + i;
        }
    }
    return state == CLOSED && sent > 0 ? 1 : 0;
}
