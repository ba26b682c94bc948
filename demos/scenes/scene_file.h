/* Scenes from files. */
#ifndef LAB_SCENE_FILE_H
#define LAB_SCENE_FILE_H

#include "demos/world/scene.h"

typedef struct lab_file lab_file;

/* Reads a scene of Rigid IPC (.json; mesh_dir null: the folder `meshes` beside it), or MJCF or URDF
 * (.xml, .urdf; mesh_dir null: the folder of the file). On error null, and text says what to do.
 * note (may be null): remarks, one line each; among them what is left out. */
lab_file *lab_file_read(const char *path, const char *mesh_dir, void (*note)(const char *text),
                        char text[LAB_TEXT]);
void lab_file_free(lab_file *file);
/* Writes the world, as it stands, as a scene of Rigid IPC; note (may be null) is told what the
 * format cannot say. 0, or 1 if the file could not be written. */
int lab_file_write(const lab_world *w, const char *path, void (*note)(const char *text));
const lab_scene *lab_file_scene(const lab_file *file); /* options.data must then be the file */

/* Whether a name is that of a file. */
int lab_is_file(const char *name);

/* ---- for the readers ------------------------------------------------------------------------- */

/* What every file is; each reader's own follows it. */
struct lab_file {
    lab_scene scene;
    char name[96];
    void (*free)(lab_file *file);
};
void lab_file_name(lab_file *file, const char *path);
/* A file that is being read, and what is wrong with it. */
typedef struct lab_reading {
    const char *path, *list; /* list: its items are named in faults */
    int item;                /* counted from 0; -1: none */
    int failed;
    char *text; /* LAB_TEXT */
} lab_reading;
/* The first fault is kept: path, list[item], and the rest as printf. */
void lab_file_fail(lab_reading *in, const char *format, ...) __attribute__((format(printf, 2, 3)));

lab_file *lab_ipc_read(const char *path, const char *mesh_dir, void (*note)(const char *text),
                       char text[LAB_TEXT]);
lab_file *lab_robot_read(const char *path, const char *mesh_dir, void (*note)(const char *text),
                         char text[LAB_TEXT]);

#endif
