/* What the lab does with a scene: runs it, measures it, writes traces, summaries and pictures. */
#ifndef LAB_H
#define LAB_H

#include <jansson.h>
#include <stdio.h>

#include "demos/world/scene.h"

/* ---- running --------------------------------------------------------------------------------- */

/* A scene that ran, with what was measured at the end of every step. */
typedef struct lab_result {
    lab_world *w;
    double *volume;  /* summed overlap volume, m^3; one per step */
    double *seconds; /* wall clock of the step alone */
    long steps, room;
    double depth_max; /* m */
    double wall;      /* s, with measures and trace */
    int failed, user; /* user: bad input, nothing ran */
    char error[LAB_TEXT];
} lab_result;

/* Runs and measures; trace may be null. progress: report on stderr, once a second. Returns failed.
 */
int lab_run(const lab_scene *scene, const lab_options *options, FILE *trace, int progress,
            lab_result *result);
void lab_result_free(lab_result *result);
/* Value below which the given part of n numbers lies (n = 0: 0). */
double lab_quantile(const double *values, long n, double part);

/* ---- writing --------------------------------------------------------------------------------- */

/* JSON Lines: header and start poses, then one line per step. 0, or 1 if it could not be written.
 */
int lab_trace_begin(FILE *file, const lab_world *w);
int lab_trace_step(FILE *file, const lab_world *w);

json_t *lab_summary(const lab_result *result); /* null: out of memory */
int lab_json_write(const json_t *json, const char *path);
json_t *lab_number(double x);                      /* null for what JSON cannot say */
char *lab_path(const char *dir, const char *name); /* DIR/name, to be freed; null: no memory */
/* Makes a folder and those above it. 0, or 1 if there is none then. */
int lab_make_folder(const char *dir);

/* One table of all results, a line each. */
void lab_table(FILE *file, const lab_result *results, int n);
/* PNG of the end states side by side. 0, or 1 if it could not be written. */
int lab_picture(const char *path, const lab_result *results, int n);

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

/* ---- bench ----------------------------------------------------------------------------------- */

typedef struct lab_bench_options {
    const char *dir, *scene; /* scene null: all */
    lab_contact model[LAB_CONTACT_COUNT];
    int models, quick, quiet, n_max, mu_given;
    double mu, budget; /* s, budget: of wall clock */
    uint64_t seed;
} lab_bench_options;

/* What a step costs with each model, on the same states and in turns, over scenes and numbers of
 * bodies, as far as the budget goes: DIR/bench.json, table.txt and cost.png. Returns an exit
 * status. Deterministic but for times and for where time ran out. */
int lab_bench(const lab_bench_options *options);

/* ---- scenes from files ----------------------------------------------------------------------- */

typedef struct lab_file lab_file;

/* Reads a Rigid IPC scene; mesh_dir null: the folder `meshes` beside it. On error null, and text
 * says what to do. note (may be null): remarks, one line each. */
lab_file *lab_file_read(const char *path, const char *mesh_dir, void (*note)(const char *text),
                        char text[LAB_TEXT]);
void lab_file_free(lab_file *file);
const lab_scene *lab_file_scene(const lab_file *file); /* options.data must then be the file */

#endif
