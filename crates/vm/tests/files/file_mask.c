// umask, and the rights of what is created with it.
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static void show(const char *name)
{
    struct stat found;
    printf("%s %o\n", name, stat(name, &found) == 0 ? found.st_mode & 07777 : 077777);
}

int main(void)
{
    static const mode_t masks[] = {022, 077, 0, 0177, 01777};
    setvbuf(stdout, NULL, _IONBF, 0);
    umask(022);
    for (int i = 0; i < 5; i++) {
        char name[] = "opened0", other[] = "stream0", folder[] = "folder0";
        name[6] = other[6] = folder[6] = (char)('0' + i);
        printf("%o\n", umask(masks[i]));
        close(open(name, O_CREAT | O_WRONLY, 0666));
        fclose(fopen(other, "w"));
        mkdir(folder, 0777);
        show(name);
        show(other);
        show(folder);
    }
    printf("%o\n", umask(umask(3)));
    return 0;
}
