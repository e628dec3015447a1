// Functions of the library that threads may use beside each other, and what they say here.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/utsname.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

static int events;

static void *ask(void *unused)
{
    time_t now = 951782400; // the leap day of 2000
    struct tm date;
    char text[64];
    assert(localtime_r(&now, &date) && strftime(text, sizeof text, "%F %T %j %Z", &date) > 0);
    assert(!strcmp(text, "2000-02-29 00:00:00 060 UTC"));
    assert(mktime(&date) == now);
    unsigned short own[3] = {1, 2, 3};
    assert(nrand48(own) >= 0);
    struct utsname system;
    assert(uname(&system) == 0 && !strcmp(system.sysname, "Linux"));
    syslog(LOG_INFO, "%s: %m", text);
    eventfd_write(events, 2);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_attr_t attributes;
    struct sched_param parameters;
    int policy;
    eventfd_t count;
    events = eventfd(0, 0);
    assert(pthread_attr_init(&attributes) == 0 && pthread_attr_setschedpolicy(&attributes, SCHED_RR) == 0);
    parameters.sched_priority = 100;
    assert(pthread_attr_setschedparam(&attributes, &parameters) != 0);
    parameters.sched_priority = 5;
    assert(pthread_attr_setschedparam(&attributes, &parameters) == 0);
    assert(pthread_create(&thread, &attributes, ask, 0) == 0); // inherits its creator's policy
    assert(pthread_kill(thread, 0) == 0);
    assert(pthread_getschedparam(thread, &policy, &parameters) == 0 && policy == SCHED_OTHER);
    assert(eventfd_read(events, &count) == 0 && count == 2);
    pthread_join(thread, 0);
    setenv("NAME", "value", 1);
    assert(!strcmp(getenv("NAME"), "value") && unsetenv("NAME") == 0 && !getenv("NAME"));
    return 0;
}
