// rand_r: glibc's generator, whose whole state is the caller's seed. (rand and random have hidden state: they are native
// models.)

static unsigned next(unsigned *state)
{
    *state = *state * 1103515245u + 12345u;
    return *state / 65536u;
}

int rand_r(unsigned *seed)
{
    unsigned state = *seed;
    unsigned result = next(&state) % 2048;
    result = result << 10 ^ next(&state) % 1024;
    result = result << 10 ^ next(&state) % 1024;
    *seed = state;
    return (int)result;
}
