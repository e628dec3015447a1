// A maze of 5 x 4 and seven steps: a path is a walk until it hits a wall, finds the way out, or is at its end.
// cases: 133
#include <stdio.h>
extern void klee_make_symbolic(void *, unsigned long, const char *);

static const char maze[4][6] = {
    "+-+-+",
    "|   |",
    "| |#|",
    "+-+-+",
};

int main(void) {
    char moves[7];
    klee_make_symbolic(moves, sizeof moves, "moves");
    int x = 1, y = 2;
    for (int i = 0; i < 7; i++) {
        int nx = x, ny = y;
        switch (moves[i]) {
        case 'w': ny--; break;
        case 's': ny++; break;
        case 'a': nx--; break;
        case 'd': nx++; break;
        default:
            putchar('?');
            return 1;
        }
        putchar(moves[i] == 'w' ? 'w' : moves[i] == 's' ? 's' : moves[i] == 'a' ? 'a' : 'd');
        if (maze[ny][nx] == '#')
            return 42;
        if (maze[ny][nx] != ' ') {
            putchar('|');
            return 2;
        }
        x = nx;
        y = ny;
    }
    return 3;
}
