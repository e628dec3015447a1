// Formatted output, to a buffer where it can be compared, and to the terminal from two threads.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static void *speak(void *name)
{
    printf("%s\n", (char *)name);
    puts("done");
    return 0;
}

int main(void)
{
    char text[64];
    pthread_t thread;
    assert(snprintf(text, sizeof text, "%5d|%-4s|%04x|%c|%%", -42, "ab", 255, 'z') == 19);
    assert(strcmp(text, "  -42|ab  |00ff|z|%") == 0 || strlen(text) == 19);
    volatile size_t room = 4;
    assert(snprintf(text, room, "%.2f", 3.14159) == 4 && strcmp(text, "3.1") == 0);
    sprintf(text, "%ld %llu %zu %s", -1L, 18446744073709551615ull, sizeof(int), "end");
    assert(strcmp(text, "-1 18446744073709551615 4 end") == 0);
    pthread_create(&thread, 0, speak, "other");
    speak("main");
    pthread_join(thread, 0);
    fprintf(stderr, "%s", "");
    return 0;
}
