// openlog keeps the pointer that it was given.
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

int main(void)
{
    char *name = strdup("server");
    openlog(name, LOG_PID, LOG_USER);
    free(name);
    syslog(LOG_INFO, "hello"); // expect: memory.use-after-free
    return 0;
}
