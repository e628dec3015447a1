// A function that only a text names.
// unknown: pthread_setname_np
#define _GNU_SOURCE
#include <dlfcn.h>

int main(void)
{
    return dlsym(RTLD_DEFAULT, "pthread_setname_np") == 0;
}
