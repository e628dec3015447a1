// The classic maze: the input is the way, and walking into the goal is the error. Each field is entered once; a wall, an own
// step or an unknown command ends the walk. Every path: 237, of which four lead to the goal.
// count(dpor)=237
void reach_error(void);
void klee_make_symbolic(void *object, unsigned long size, const char *name);

enum { WIDTH = 11, HEIGHT = 7, MOVES = 28 };

static char maze[HEIGHT][WIDTH + 1] = {
    "+---------+",
    "|   |     |",
    "| | | --+ |",
    "| |   |   |",
    "| +-- | | |",
    "|     |  #|",
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
        if (maze[y][x] == '#')
            reach_error(); // expect: assertion.reach-error
        if (maze[y][x] != ' ')
            return 2;
        maze[y][x] = 'x';
    }
    return 0;
}
