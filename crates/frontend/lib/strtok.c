// strtok keeps where it stopped in one variable for the whole process, as glibc does: two threads that both call it race
// on that variable, and the detector shall see it.

char *strtok_r(char *text, const char *delimiters, char **save);

static char *stopped_at;

char *strtok(char *text, const char *delimiters) { return strtok_r(text, delimiters, &stopped_at); }
