// The maze of the corpus (inputs/assertion/maze.c) with a hall of pillars instead of corridors, and no error in the goal: every
// way of at most 28 moves that enters no field twice, 7,057 paths.
void klee_make_symbolic(void *object, unsigned long size, const char *name);

enum { WIDTH = 11, HEIGHT = 7, MOVES = 28 };

static char maze[HEIGHT][WIDTH + 1] = {
    "+---------+",
    "|         |",
    "| - - - - |",
    "|         |",
    "| - - - - |",
    "|        #|",
    "+---------+",
};

int main(void)
{
    char moves[MOVES];
    int x = 1, y = 1;
    klee_make_symbolic(moves, sizeof moves, "moves");
    maze[y][x] = 'x';
    for (int i = 0; i < MOVES; i++) {
        switch (moves[i]) {
        case 'w':
            y--;
            break;
        case 's':
            y++;
            break;
        case 'a':
            x--;
            break;
        case 'd':
            x++;
            break;
        default:
            return 1;
        }
        if (maze[y][x] != ' ')
            return 2;
        maze[y][x] = 'x';
    }
    return 0;
}
