// Dates are those of UTC here, so another time zone gives no verdict.
// unknown: a time zone other than UTC
#define _GNU_SOURCE
#include <assert.h>
#include <stdlib.h>
#include <time.h>

int main(void)
{
    struct tm date;
    time_t noon = 43200;
    assert(setenv("LC_ALL", "C", 1) == 0 && setenv("TZ", "UTC", 1) == 0);
    assert(localtime_r(&noon, &date) && date.tm_hour == 12);
    setenv("TZ", "EST5EDT", 1);
    tzset();
    assert(localtime_r(&noon, &date) && date.tm_hour == 12); // fails in this zone
    return 0;
}
