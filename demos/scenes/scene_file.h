/* Scenes from files. */
#ifndef LAB_SCENE_FILE_H
#define LAB_SCENE_FILE_H

#include "demos/world/scene.h"

typedef struct lab_file lab_file;

/* Reads a Rigid IPC scene; mesh_dir null: the folder `meshes` beside it. On error null, and text
 * says what to do. note (may be null): remarks, one line each. */
lab_file *lab_file_read(const char *path, const char *mesh_dir, void (*note)(const char *text),
                        char text[LAB_TEXT]);
void lab_file_free(lab_file *file);
/* Writes the world, as it stands, as a scene of Rigid IPC; note (may be null) is told what the
 * format cannot say. 0, or 1 if the file could not be written. */
int lab_file_write(const lab_world *w, const char *path, void (*note)(const char *text));
const lab_scene *lab_file_scene(const lab_file *file); /* options.data must then be the file */

#endif
