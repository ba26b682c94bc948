/* The experiment `infeasibility` of Anitescu and Hart: what a run's number of its initial condition
 * means, and the columns it writes. */
#ifndef LAB_INFEASIBILITY_H
#define LAB_INFEASIBILITY_H

#include "demos/experiments/experiment.h"

enum { INFEASIBILITY_SCENES = 5, INFEASIBILITY_SEEDS = 8 };

typedef struct infeasibility_scene {
    const char *name, *scene;
    int mu_given;
    double mu;
    int frames; /* of its figure, as in [A] */
} infeasibility_scene;
extern const infeasibility_scene infeasibility_scenes[INFEASIBILITY_SCENES];

/* Ways to run the model ratio; all others have the first one only. */
typedef enum infeasibility_variant {
    RATIO_PLAIN,    /* gamma 1 */
    RATIO_HALF,     /* gamma .5 */
    RATIO_TENTH,    /* gamma .1 */
    RATIO_OFF,      /* no stabilisation: gaps close, overlap stays */
    RATIO_GAP,      /* the gradient of the gap instead of that of the component function */
    RATIO_TRAPS,    /* violated units of pairs that are apart stay, as published */
    RATIO_ADJACENT, /* active units by the faces of the linear program */
    RATIO_VARIANTS
} infeasibility_variant;
extern const char *const infeasibility_variant_names[RATIO_VARIANTS];

/* A run's set. Seeds count from 0. */
int infeasibility_set(int scene, infeasibility_variant variant, int seed);

enum {
    INF_T,
    INF_RHO,      /* of the nearest pair */
    INF_I,        /* max(0, -rho) */
    INF_DEPTH,    /* m */
    INF_VOLUME,   /* m^3 */
    INF_SPEED,    /* root of the sum of all |v|^2 + |w|^2 */
    INF_V_MAX,    /* m/s, of one body */
    INF_Z_TOP,    /* m, the highest centre */
    INF_ROWS,     /* of the step's largest problem */
    INF_SOLVE,    /* ms */
    INF_STEP,     /* ms */
    INF_FAILURES, /* steps without an answer */
    INF_LAGGED,   /* solves whose friction has not settled */
    INF_PASSES,   /* of friction, of all islands */
    INF_RUBBING,  /* islands with friction */
    INF_SLIDING,  /* those of them that took more than one pass */
    INF_UNITS,    /* active basic contact units */
    INF_DIFFER,   /* pairs whose adjacent units are others */
    INF_COLUMNS
};

void infeasibility_plan(experiment_study *s);
int infeasibility_run(const experiment_study *s, const experiment_job *job, FILE *csv,
                      char why[LAB_TEXT]);
void infeasibility_report(experiment_study *s, lab_report *r);

#endif
