/* The experiments of the papers: each is a set of runs (model x step size x initial condition), the
 * unit in which an experiment can be stopped and resumed, and a report made of what the runs wrote.
 *
 * A run writes DIR/runs/NAME.csv: a line with all its parameters, a line of column names, numbers;
 * a line that begins with `# failed:` says how a simulation ended early, `# ended:` that its
 * contact model has no answer to a step and makes none, as st-published does. The file appears
 * under its name only when it is whole. A run whose file has the same parameters is not run again.
 */
#ifndef LAB_EXPERIMENT_H
#define LAB_EXPERIMENT_H

#include "demos/report/output.h"
#include "demos/report/plot.h"
#include "demos/experiments/report.h"

#define EXPERIMENT_H_MAX 20 /* step sizes */

/* A run's simulation ended where its contact model has no answer. */
enum { EXPERIMENT_ENDED = 2 };

typedef struct experiment_options {
    const char *dir;
    int quick, quiet, fresh; /* fresh: run again what was run */
    int report_only;         /* run nothing: the report of what has been run */
    int workers;             /* 0: as many as there are processors */
    uint64_t seed;
    lab_contact model[LAB_CONTACT_COUNT];
    int models; /* 0: all of the contact module */
} experiment_options;

/* Returns an exit status (0, 1 or 2, after one line on stderr). */
int lab_experiment(const char *name, const experiment_options *options);
int lab_experiment_list(FILE *out);

/* For sweeps: the i-th experiment's name, or null; how many runs it has (-1: no such experiment, or
 * out of memory); and one of them, run into its file unless it is there already. */
const char *lab_experiment_name(int i);
int lab_experiment_runs(const char *name, const experiment_options *options);
typedef struct experiment_outcome {
    lab_contact contact;
    double h;
    int set;
    int failed; /* the simulation ended early, or the file could not be written */
} experiment_outcome;
/* 0; 1: there is no such run, or the folder cannot be written. */
int lab_experiment_run(const char *name, const experiment_options *options, int run,
                       experiment_outcome *outcome);

/* ---- for the experiments --------------------------------------------------------------------- */

typedef struct experiment_job {
    lab_contact contact;
    double h;
    int set; /* number of the initial condition; its meaning is the experiment's */
} experiment_job;

typedef struct experiment_table {
    double *value; /* rows x columns */
    long rows;
    int columns;
    int missing, failed; /* no file; the simulation ended early */
    int ended;           /* where its model has no answer */
} experiment_table;

typedef struct experiment experiment;

typedef struct experiment_study {
    const experiment *kind;
    const experiment_options *options;
    lab_contact model[LAB_CONTACT_COUNT];
    int models;
    double h[EXPERIMENT_H_MAX]; /* step sizes of the table, ascending */
    int hs;
    int first_set, last_set; /* of the table */
    const char *source;      /* where the bodies come from: part of the parameters */
    char bodies[80];         /* room for that */
    experiment_job *job;
    experiment_table *table; /* of the jobs, when all have run */
    int jobs, room;
    long failures, ended; /* runs that ended early; where their model has no answer */
    int out_of_memory;
} experiment_study;

struct experiment {
    const char *name, *about, *scene;
    int planar; /* for the models of the contact module alone */
    void (*plan)(experiment_study *s);
    /* Writes column names and rows. 0; 1, or EXPERIMENT_ENDED, if the simulation ended early: why
     * says how. */
    int (*run)(const experiment_study *s, const experiment_job *job, FILE *csv, char why[LAB_TEXT]);
    void (*report)(experiment_study *s, lab_report *r);
};

extern const experiment experiments_pour[], experiments_particle[], experiments_rod[],
    experiments_models[], experiments_gap_functions[], experiments_impacts[],
    experiments_anitescu_hart[];

/* All models x step sizes h[] x sets first..last. */
void experiment_plan_all(experiment_study *s, int first_set, int last_set);
void experiment_add(experiment_study *s, lab_contact contact, double h, int set);

/* Columns of a run that is written step by step. Position: of the last dynamic body. */
enum {
    COL_T,
    COL_X,
    COL_Y,
    COL_Z,
    COL_OVERLAP, /* m^3; planar m^2 */
    COL_DEPTH,   /* m */
    COL_SIZE,    /* of the step's largest problem: see experiment_size */
    COL_SOLVE,   /* ms */
    COL_STEP,    /* ms */
    COL_TRAP,    /* 1: a constraint of the standard model would have been a trap */
    COL_UNCONVERGED,
    COL_PAIRS,
    COL_TRAPS,   /* how many */
    COL_ESCAPED, /* bodies outside of the container */
    COL_ROWS,    /* of the step's problem, without the velocities */
    COL_COUNT
};
/* Size of the step's problem as [F 3.2] counts it, that of the whole matrix [F 3, 25; W 48]: the
 * velocities of the bodies that are there and the rows, of all islands together where the model
 * solves each once, else of the largest. */
long experiment_size(const lab_world *w);
int experiment_steps(const lab_scene *scene, const lab_options *options, FILE *csv,
                     char why[LAB_TEXT]);

/* Model of that name among the study's; -1: it is not. */
int experiment_model(const experiment_study *s, const char *name);
/* Table of one run; null if there is none. */
const experiment_table *experiment_find(const experiment_study *s, int contact, double h, int set);
/* Column of all runs of a model and step size (set < 0: of all sets of the table), one after the
 * other; to be freed. */
double *experiment_column(const experiment_study *s, int contact, double h, int set, int column,
                          long *n);

typedef struct experiment_spread {
    long n;
    double mean, q1, median, q3, p99, max, sum;
} experiment_spread;
experiment_spread experiment_measure(const experiment_study *s, int contact, double h, int column);

/* Median and quartiles of a column over h, one curve a model; max: dashed curve of the maxima. */
void experiment_plot_spread(experiment_study *s, lab_report *r, int column, int max,
                            const char *file, const char *title, const char *label, double floor);
/* Table model x h; goes to the report, to summary.json under `name` and to DIR/NAME.csv. */
void experiment_tabulate(experiment_study *s, lab_report *r, int column, const char *name,
                         const char *unit);
/* A curve of one run of each model: column y over column x. extra (may be null) is drawn first. */
void experiment_plot_runs(experiment_study *s, lab_report *r, plot *p, double h, int set,
                          int column_x, int column_y, const char *file);
/* Runs a scene and draws its end. */
void experiment_view(const lab_scene *scene, const lab_options *options, lab_report *r,
                     const char *file, const char *title);
/* Draws the start of a scene in space, as seen from a direction (scene coordinates). */
void experiment_start_view(const lab_scene *scene, const lab_options *options, lab_report *r,
                           const char *file, const double direction[3]);
int experiment_colour(lab_contact contact);
/* An empty plot over the step size, which is logarithmic as is y where it has a floor. */
plot experiment_plot_over_h(const char *title, const char *label, double floor);

#endif
