// The environment that the program finds, in the order in which it is given; a variable that the program adds comes last.
// options: --env PLACE=here,there --env EMPTY= --property assertion,data-race,deadlock,memory
#include <assert.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;
static char kept[16];

__attribute__((constructor)) static void before_main(void) { strcpy(kept, getenv("PLACE")); }

int main(int argc, char **argv, char **variables) {
  assert(argc == 1 && !argv[1]);
  assert(variables == environ);
  assert(!strcmp(kept, "here,there"));
  assert(!strcmp(environ[0], "PLACE=here,there") && !strcmp(environ[1], "EMPTY=") && !environ[2]);
  assert(*getenv("EMPTY") == 0 && !getenv("HOME"));
  setenv("MORE", "1", 1);
  setenv("PLACE", "away", 1);
  assert(!strcmp(getenv("PLACE"), "away") && !strcmp(environ[2], "MORE=1") && !environ[3]);
  unsetenv("EMPTY");
  assert(!getenv("EMPTY") && !strcmp(getenv("MORE"), "1"));
  return 0;
}
