/* The commands of peg-lab that run scenes. */
#ifndef LAB_H
#define LAB_H

#include "demos/report/output.h"
#include "demos/scenes/scene_file.h"
#include "demos/world/files.h"

/* Where the results of several runs go. */
typedef struct lab_output {
    const char *dir, *command; /* command: as the user gave it, for the page */
    const char *video;         /* a film of the runs, or null */
    double video_speed;
    long every; /* steps between frames of the page; 0: all */
    int quiet;
} lab_output;

/* Runs the scene with each model and writes DIR/summary.json, table.txt, picture.png and
 * report.html. Returns an exit status (0, 1 or 2, after one line on stderr). */
int lab_compare(const lab_scene *scene, const lab_options *options, const lab_contact *models,
                int n, const lab_output *output);
/* The main job of the project: 20 polyhedra poured, with stock ODE and with exact contacts. At most
 * LAB_SETS_MAX keys may be set. */
#define LAB_SETS_MAX 32
int lab_demo(const lab_options *options, const lab_output *output);

/* Writes the page of traces to `out`. Returns an exit status. */
int lab_report_traces(const char *const *paths, int n, const char *out, const char *command,
                      int quiet);
/* The same of one trace, to a file of its own if out is null; opens it in the browser, or says
 * where it is. */
int lab_play_trace(const char *path, const char *out, const char *command, int quiet);

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

/* Runs the scene with exact contacts and makes each step besides as four of a quarter of its length
 * from the same state. Prints the steps that lose more than twice the energy, and what the
 * integrator itself takes out of bodies that accelerate so; one line of totals. Returns 1 if there
 * is such a step. */
int lab_losses(const lab_scene *scene, const lab_options *options, int quiet);

#endif
