// One thread feeds BYTES bytes of any value into a queue of two, the other takes them out and splits them into tokens of JSON:
// all contents in all schedules. Behind an error the rest is taken and not looked at. The contents make 34, 94, 258 and 706 paths
// for 3 to 6 bytes, the schedules are 3^(BYTES - 1), and neither depends on the other.
// variant: -DBYTES=3 count(dpor)=306
// variant: -DBYTES=4 only(count) count(dpor)=2538
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

void klee_make_symbolic(void *object, unsigned long size, const char *name);

enum { ROOM = 2 };

static char input[BYTES], queue[ROOM];
static sem_t filled, empty;

static void *feed(void *unused)
{
    for (int i = 0; i < BYTES; i++) {
        sem_wait(&empty);
        queue[i % ROOM] = input[i];
        sem_post(&filled);
    }
    return unused;
}

enum state { START, NUMBER, TEXT, ESCAPE, ERROR };

static int tokens;

static int is_digit(char c) { return (unsigned char)(c - '0') < 10; }

static enum state between(char c)
{
    int single = (c == '{') | (c == '}') | (c == '[') | (c == ']') | (c == ',') | (c == ':');
    if (single | (c == ' ')) {
        tokens += single;
        return START;
    }
    if (c == '"')
        return TEXT;
    if (is_digit(c))
        return NUMBER;
    return ERROR;
}

static enum state step(enum state state, char c)
{
    switch (state) {
    case START:
        return between(c);
    case NUMBER:
        if (is_digit(c))
            return NUMBER;
        tokens++;
        return between(c);
    case TEXT:
        if (c == '"') {
            tokens++;
            return START;
        }
        if (c == '\\')
            return ESCAPE;
        return TEXT;
    case ESCAPE:
        if ((c == '"') | (c == '\\') | (c == 'n'))
            return TEXT;
        return ERROR;
    default:
        return ERROR;
    }
}

static void *split(void *unused)
{
    enum state state = START;
    for (int i = 0; i < BYTES; i++) {
        sem_wait(&filled);
        char c = queue[i % ROOM];
        sem_post(&empty);
        if (state != ERROR)
            state = step(state, c);
    }
    if (state == NUMBER)
        tokens++;
    assert(tokens <= BYTES);
    return unused;
}

int main(void)
{
    klee_make_symbolic(input, sizeof input, "input");
    sem_init(&filled, 0, 0);
    sem_init(&empty, 0, ROOM);
    pthread_t feeder, splitter;
    pthread_create(&feeder, 0, feed, 0);
    pthread_create(&splitter, 0, split, 0);
    pthread_join(feeder, 0);
    pthread_join(splitter, 0);
    return 0;
}
