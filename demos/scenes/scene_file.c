/* Scenes from files, whatever their format. */
#include "demos/scenes/scene_file.h"

#include <string.h>

static int ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n > m && !strcmp(name + n - m, end);
}

static int is_xml(const char *name)
{
    return ends_with(name, ".xml") || ends_with(name, ".urdf");
}

int lab_is_file(const char *name)
{
    return strchr(name, '/') || ends_with(name, ".json") || is_xml(name);
}

lab_file *lab_file_read(const char *path, const char *mesh_dir, void (*note)(const char *text),
                        char text[LAB_TEXT])
{
    return (is_xml(path) ? lab_robot_read : lab_ipc_read)(path, mesh_dir, note, text);
}

void lab_file_free(lab_file *f)
{
    if (f) f->free(f);
}

const lab_scene *lab_file_scene(const lab_file *f)
{
    return &f->scene;
}
