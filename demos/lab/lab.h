/* The commands of peg-lab that run scenes. */
#ifndef LAB_H
#define LAB_H

#include "demos/report/output.h"
#include "demos/scenes/scene_file.h"
#include "demos/world/files.h"

/* Runs the scene with each model and writes DIR/summary.json, table.txt and picture.png. Returns an
 * exit status (0, 1 or 2, after one line on stderr). */
int lab_compare(const lab_scene *scene, const lab_options *options, const lab_contact *models,
                int n, const char *dir, int quiet);
/* The main job of the project: 20 polyhedra poured, with stock ODE and with exact contacts. At most
 * LAB_SETS_MAX keys may be set. */
#define LAB_SETS_MAX 32
int lab_demo(const lab_options *options, const char *dir, int quiet);

typedef struct lab_ode_demos_options {
    const char *dir, *scene; /* scene null: all */
    lab_contact model[LAB_CONTACT_COUNT];
    int models, quiet;
    double time; /* 0: each scene's */
    uint64_t seed;
} lab_ode_demos_options;

/* Runs the scenes of ODE's demos with each model (the demos themselves use QuickStep for heaps,
 * walls and bridges): DIR/table.txt, demos.json and a picture of each. Returns an exit status. */
int lab_ode_demos(const lab_ode_demos_options *options);

#endif
