/* What every scene must show, checked while it runs: shared by the study and the tests.
 *
 * A check runs a scene through the scene library with any contact model and looks at it after every
 * step with the lab's own measures: overlap, depth, energy, drift, the module's own counts, and
 * what the scene is about, against a closed form or an independent integration wherever there is
 * one. All figures are in scene coordinates (m, s), so they do not depend on scale and turn. */
#ifndef LAB_CHECKS_H
#define LAB_CHECKS_H

#include "demos/world/scene.h"

#define CHECK_TEXT 256

typedef struct check_value {
    char name[40]; /* empty: none */
    double value;
} check_value;

typedef struct check_result {
    int failed;            /* criteria that were not met */
    char why[CHECK_TEXT];  /* the first of them, with its figure */
    check_value figure[2]; /* the scene's own figures */
    double overlap, depth; /* largest at the end of a step: of the mean body volume; m */
    double overlap_median;
    double inside; /* largest depth inside the steps, m; fast scenes only */
    double gain;   /* largest of a step, per work of gravity + initial kinetic energy */
    double cone;   /* largest friction of a contact beyond its cone, per mu and largest impulse */
    double drift;  /* largest move or turn of a body since t = 1 s, m or rad */
    double
        speed; /* what stands: largest speed since t = 1 s, m/s (of its surface where it turns) */
    double ms; /* mean wall time of a step */
    long steps;
    int escaped;
    pegStats total;
    char settings[CHECK_TEXT]; /* of the library: lab_settings_text */
} check_result;

/* 0: the scene ran (see failed); 1: it could not be opened or a step failed; why says how. */
int check_scene(const lab_scene *scene, const lab_options *options, check_result *result);

/* ---- for the checks themselves ---- */

typedef struct check_run check_run;

typedef enum check_property {
    CHECK_RESTS = 1,    /* at rest: drift counts from t = 1 s */
    CHECK_TOUCHES = 2,  /* starts in touch: the margin opens first, energy counts from t = 1 s */
    CHECK_INSIDE = 4,   /* look inside the steps as well */
    CHECK_OVERLAPS = 8, /* overlap cannot be avoided: the scene's own check judges it */
    CHECK_STANDS = 16,  /* stands on friction: drift and speed count from t = 1 s */
    CHECK_MACHINE = 32, /* joints and motors put energy in: the scene's own check judges it */
} check_property;

typedef struct check_spec {
    const char *scene;
    unsigned properties;
    double size;                /* of the smallest body, m: unit of depths */
    double chain;               /* rests: margins in the longest chain of contacts from a support */
    const char *key;            /* a key of the scene that is worth varying; null: none */
    double values[4];           /* of it; ends with NAN or at four */
    void (*begin)(check_run *); /* any may be null */
    void (*step)(check_run *);
    void (*end)(check_run *);
} check_spec;

/* Each ends with a nameless entry. */
extern const check_spec check_specs_rest[], check_specs_fast[], check_specs_extreme[],
    check_specs_friction[], check_specs_joints[], check_specs_geoms[], check_specs_dilated[],
    check_specs_grip[];

/* What is checked of a scene; for scenes without a check of their own what holds for all. */
const check_spec *check_find(const char *scene);

struct check_run {
    const check_spec *spec;
    const lab_scene *scene;
    lab_world *w;
    lab_world *other; /* a second world that a check may open */
    check_result *result;
    double h, t; /* t after the step */
    double g;
    double kinetic;        /* J, at the start, of the scaled scene */
    double work_kinematic; /* J, of kinematic bodies so far */
    double scale;
    long step;
    double (*start)[7];   /* per body: pose at the start, */
    double (*settled)[7]; /* and at t = 1 s */
    double *overlaps;     /* per step */
    double memory[8];     /* of the scene's own check, zero at first */
};

void check_fail(check_run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* run->other: the same scene with stock ODE. */
void check_open_stock(check_run *run);
/* |value - expected| <= tolerance; what: words for the message. NaN fails. */
void check_near(check_run *run, const char *what, double value, double expected, double tolerance);
void check_between(check_run *run, const char *what, double value, double low, double high);
/* Sets the figure of that name, of which there are at most two. */
void check_figure(check_run *run, const char *name, double value);
void check_largest(check_run *run, const char *name, double value); /* keeps the largest so far */
/* The end of every pour: none froze; without friction and below h = .05 no body was limited. */
void check_pour(check_run *run);

/* The i-th body of a name, from 0. */
lab_body *check_body(check_run *run, const char *name, int i);
void check_position(const lab_body *body, double x[3]);
/* Angle between two orientations, rad; exact for small ones. */
double check_angle(const double q0[4], const double q1[4]);
/* How far the body has turned since the start, rad. */
double check_turned(const check_run *run, const lab_body *body);
/* Margin that the module keeps between parts of which the smaller has this bounding radius, m. */
double check_margin(double radius);
/* Fall from rest after n steps of ODE's semi-implicit update, m (positive). */
double check_fallen(const check_run *run);

#endif
