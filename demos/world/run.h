/* Runs a scene from start to end and measures every step. */
#ifndef LAB_RUN_H
#define LAB_RUN_H

#include "demos/world/scene.h"
#include "plugin/moving_bodies.h"

/* A scene that ran, with what was measured at the end of every step. */
typedef struct lab_result {
    lab_world *w;
    double *volume;  /* summed overlap volume, m^3; one per step */
    double *seconds; /* wall clock of the step alone */
    long steps, room;
    double depth_max;  /* m */
    double wall;       /* s, with measures and trace */
    peg_moving moving; /* at the end; numbers are those of lab_body_at; planar worlds have none */
    int failed, user;  /* user: bad input, nothing ran */
    char error[LAB_TEXT];
} lab_result;

typedef struct lab_measured {
    double volume, depth; /* summed overlap volume, m^3; deepest penetration, m */
    double *depth_of;     /* of each body */
} lab_measured;

/* Sees the start, every step and the end of a run; lab_fail ends it. */
typedef struct lab_observer {
    void (*begin)(void *data, lab_world *w);
    void (*step)(void *data, lab_world *w, const lab_measured *m);
    void (*end)(void *data, lab_world *w);
    void *data;
} lab_observer;

/* Runs and measures; the observer may be null. progress: report on stderr. Returns failed. */
int lab_run(const lab_scene *scene, const lab_options *options, const lab_observer *observer,
            int progress, lab_result *result);
void lab_result_free(lab_result *result);
/* One line for each body that is listed as moving, with its name. */
void lab_print_moving(FILE *file, const lab_result *result);
/* Value below which the given part of n numbers lies (n = 0: 0). */
double lab_quantile(const double *values, long n, double part);

#endif
