#include <pthread.h>

extern char word;
void add(int number);
int sum(void);
