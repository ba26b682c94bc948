/* The experiments of a particle over hills [F Fig. 6-9] and over a sawtooth [F Fig. 10-18], against
 * its exact path: what their runs and their reports share. */
#ifndef LAB_PARTICLE_H
#define LAB_PARTICLE_H

#include "demos/experiments/experiment.h"
#include "demos/oracle/planar_path.h"

#define STARTS 62

/* Sets of a study: the paper's own start, step by step; many starts, one line each. */
enum { SET_PATH, SET_STARTS };

/* Columns of SET_STARTS. */
enum {
    START_NUMBER,
    START_X,
    START_Y,
    START_VX,
    START_VY,
    START_ERROR,      /* m, largest over the steps */
    START_ERROR_MEAN, /* m, over the steps */
    START_SIZE,       /* rows, mean over the steps */
    START_SOLVE,      /* ms per step */
    START_STEP,       /* ms per step */
    START_COUNT,      /* steps */
    START_AWAY,       /* m, from the terrain at the end */
    START_SPEED,      /* m/s, at the end */
    START_UNCONVERGED,
    START_SAMPLES /* x, y at the times SAMPLE_EVERY, 2 SAMPLE_EVERY, ..; NaN where no step ends */
};

/* s; a step of the sixteen step sizes ends there, but for the largest three. */
#define SAMPLE_EVERY .04096
#define SAMPLES      36

typedef struct particle_case {
    const char *scene;
    double x[2], v[2], push, mass, mu, end;
    double h; /* of the path */
    int starts;
} particle_case;

const particle_case *particle_case_of(const experiment_study *s);
void particle_terrain(const particle_case *c, planar_chain *out);
/* 0, or 1 if it has too many phases. */
int particle_path(const particle_case *c, const double x[2], const double v[2], planar_path *out);

void report_hills(experiment_study *s, lab_report *r);
void report_sawtooth(experiment_study *s, lab_report *r);
void report_step_sizes(experiment_study *s, lab_report *r);

#endif
