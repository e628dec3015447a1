// How long a thread sleeps is computed from times.
#include <assert.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
    time_t end = time(0) + 10, now = time(0);
    sleep((int)end - (int)now);
    assert(time(0) < end); // expect: assertion
    return 0;
}
