/* Paths and folders of what a run writes. */
#include "demos/world/files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
    int bad = !lab_is_folder(path);
    free(path);
    return bad;
}

int lab_is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

const char *lab_file_fault(const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0 || access(path, R_OK) != 0) {
        static _Thread_local char text[160];
        snprintf(text, sizeof text, "the file cannot be opened: %.120s", strerror(errno));
        return text;
    }
    if (S_ISDIR(info.st_mode)) return "it is a folder, not a file";
    return S_ISREG(info.st_mode) && info.st_size == 0 ? "it is empty" : NULL;
}

int lab_can_write(const char *path)
{
    struct stat info;
    int is_there = stat(path, &info) == 0;
    FILE *file = fopen(path, "a");
    if (!file || fclose(file) != 0) return 0;
    if (!is_there) remove(path);
    return 1;
}
