/* Paths and folders of what a run writes. */
#include "demos/world/files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

char *lab_path(const char *dir, const char *name)
{
    size_t size = strlen(dir) + strlen(name) + 2;
    char *path = malloc(size);
    if (path) snprintf(path, size, "%s/%s", dir, name);
    return path;
}

int lab_make_folder(const char *dir)
{
    char *path = lab_path(dir, "");
    if (!path) return 1;
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        int made = mkdir(path, 0777) == 0 || errno == EEXIST;
        *slash = '/';
        if (!made) break;
    }
    struct stat info;
    int bad = stat(path, &info) != 0 || !S_ISDIR(info.st_mode);
    free(path);
    return bad;
}
