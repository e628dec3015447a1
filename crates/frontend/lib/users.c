// The users and groups of the machine: root, and the one to whom the process belongs.
#define _GNU_SOURCE
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *name, *home;
    unsigned id;
} all[] = {{"root", "/root", 0}, {"user", "/home/user", 1000}};
enum { ALL = sizeof all / sizeof *all };

// Which user, or group of one, has this name or, without a name, this number; ALL: none.
static int which(const char *name, unsigned id)
{
    int i = 0;
    while (i < ALL && (name ? strcmp(name, all[i].name) != 0 : id != all[i].id))
        i++;
    return i;
}

// Moves a text to the end of what is used; null if there is no room.
static char *put(const char *text, char **to, size_t *room)
{
    size_t size = strlen(text) + 1;
    if (size > *room)
        return 0;
    char *at = memcpy(*to, text, size);
    *to += size;
    *room -= size;
    return at;
}

static int user(int i, struct passwd *to, char *bytes, size_t room, struct passwd **result)
{
    *result = 0;
    if (i == ALL)
        return 0;
    to->pw_uid = to->pw_gid = all[i].id;
    to->pw_name = put(all[i].name, &bytes, &room);
    to->pw_passwd = put("x", &bytes, &room);
    to->pw_gecos = put("", &bytes, &room);
    to->pw_dir = put(all[i].home, &bytes, &room);
    to->pw_shell = put("/bin/sh", &bytes, &room);
    if (!to->pw_name || !to->pw_passwd || !to->pw_gecos || !to->pw_dir || !to->pw_shell)
        return ERANGE;
    *result = to;
    return 0;
}

static int group(int i, struct group *to, char *bytes, size_t room, struct group **result)
{
    *result = 0;
    if (i == ALL)
        return 0;
    // No member is named; the list comes first, because it must be aligned.
    size_t before = -(unsigned long)bytes % sizeof(char *);
    if (room < before + sizeof(char *))
        return ERANGE;
    to->gr_mem = (char **)(void *)(bytes + before);
    to->gr_mem[0] = 0;
    bytes += before + sizeof(char *);
    room -= before + sizeof(char *);
    to->gr_gid = all[i].id;
    to->gr_name = put(all[i].name, &bytes, &room);
    to->gr_passwd = put("x", &bytes, &room);
    if (!to->gr_name || !to->gr_passwd)
        return ERANGE;
    *result = to;
    return 0;
}

int getpwnam_r(const char *restrict name, struct passwd *restrict to, char *restrict bytes, size_t room, struct passwd **restrict result)
{
    return user(which(name, 0), to, bytes, room, result);
}

int getpwuid_r(uid_t id, struct passwd *restrict to, char *restrict bytes, size_t room, struct passwd **restrict result)
{
    return user(which(0, id), to, bytes, room, result);
}

int getgrnam_r(const char *restrict name, struct group *restrict to, char *restrict bytes, size_t room, struct group **restrict result)
{
    return group(which(name, 0), to, bytes, room, result);
}

int getgrgid_r(gid_t id, struct group *restrict to, char *restrict bytes, size_t room, struct group **restrict result)
{
    return group(which(0, id), to, bytes, room, result);
}

// What the following return is overwritten by the next call, also one of another thread.
static struct passwd last_user;
static struct group last_group;
static char bytes_of_user[64], bytes_of_group[64];

static struct passwd *of_user(int i)
{
    struct passwd *result;
    user(i, &last_user, bytes_of_user, sizeof bytes_of_user, &result);
    return result;
}

static struct group *of_group(int i)
{
    struct group *result;
    group(i, &last_group, bytes_of_group, sizeof bytes_of_group, &result);
    return result;
}

struct passwd *getpwnam(const char *name) { return of_user(which(name, 0)); }
struct passwd *getpwuid(uid_t id) { return of_user(which(0, id)); }
struct group *getgrnam(const char *name) { return of_group(which(name, 0)); }
struct group *getgrgid(gid_t id) { return of_group(which(0, id)); }

// Which one of the list is the next one of getpwent and getgrent: of the process, as what they return.
static int next_user, next_group;

void setpwent(void) { next_user = 0; }
void endpwent(void) { next_user = 0; }
struct passwd *getpwent(void) { return of_user(next_user < ALL ? next_user++ : ALL); }
void setgrent(void) { next_group = 0; }
void endgrent(void) { next_group = 0; }
struct group *getgrent(void) { return of_group(next_group < ALL ? next_group++ : ALL); }

// Both groups have no members but those whose own group it is.
int getgrouplist(const char *name, gid_t group, gid_t *groups, int *count)
{
    int room = *count;
    (void)name;
    *count = 1;
    if (room < 1)
        return -1;
    groups[0] = group;
    return 1;
}
