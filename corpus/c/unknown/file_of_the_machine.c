// What files of the system say depends on the machine, but a file may be given.
// unknown: file /sys/devices/system/node/node1, which depends on the machine (--file /sys/devices/system/node/node1=PATH gives it)
#include <unistd.h>

int main(void)
{
    return access("/sys/devices/system/node/node1", R_OK) == 0;
}
