// The process belongs to the user "user"; who is nobody's name is not there.
#include <assert.h>
#include <errno.h>
#include <grp.h>
#include <pthread.h>
#include <pwd.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static void *looks(void *unused)
{
    struct passwd user, *found;
    char room[100];
    assert(getpwuid_r(getuid(), &user, room, sizeof room, &found) == 0 && found == &user);
    assert(strcmp(user.pw_name, "user") == 0 && strcmp(user.pw_dir, "/home/user") == 0);
    assert(getpwnam_r("nobody's", &user, room, sizeof room, &found) == 0 && !found);
    assert(getpwnam_r("root", &user, room, 5, &found) == ERANGE && !found);
    assert(getpwnam_r("root", &user, room, sizeof room, &found) == 0 && found->pw_uid == 0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, looks, 0);
    looks(0);
    struct group *group = getgrgid(getgid());
    assert(group && strcmp(group->gr_name, "user") == 0 && !group->gr_mem[0]);
    assert(!getgrnam("wheels") && !getpwnam("who"));
    assert(getpwuid(0)->pw_gid == 0);
    pthread_join(thread, 0);
    struct group other, *found;
    char room[40];
    assert(getgrnam_r("root", &other, room + 1, sizeof room - 1, &found) == 0 && found->gr_gid == 0);
    return 0;
}
