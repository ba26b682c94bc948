/* The name of the scene of a file. */
#include <stdio.h>
#include <string.h>

#include "demos/scenes/scene_file.h"

void lab_file_name(lab_file *f, const char *path)
{
    const char *slash = strrchr(path, '/');
    snprintf(f->name, sizeof f->name, "%.90s", slash ? slash + 1 : path);
    char *dot = strrchr(f->name, '.');
    if (dot && dot != f->name) *dot = 0;
}
