/* Small scenes for the step tests, built and stepped without ODE. */
#ifndef STEP_SCENE_H
#define STEP_SCENE_H

#include "tests/geometry_cases.h"
#include "peg/peg.h"

/* Sums of a few terms, relative to them. */
#define EXACT 1e-12
/* What the certificate of a solve allows, relative to the velocities in it. */
#define SOLVED 1e-9

enum { BODIES = 8, PARTS = 12 };

typedef struct scene {
    peg_scene s;
    peg_body body[BODIES];
    peg_part part[PARTS];
    peg_polytope *shape[PARTS];
    int shapes;
    peg_context *context;
    pegStats stats;
    peg_surface surface;                /* of every pair */
    int asked[PARTS + 1][PARTS + 1];    /* by ids: calls of the pair filter */
    int told[PARTS + 1][PARTS + 1];     /* calls for the surface */
    unsigned long refused_a, refused_b; /* a pair that may not touch */
} scene;

/* The scene of the test that runs. */
extern scene S;

/* Null: default settings. */
void scene_use_context(const pegSettings *settings);
void scene_use_model(pegContactModel model);
void scene_begin(double h);
void scene_end(void);

peg_polytope *scene_box(double a, double b, double c);
void scene_add_part(int body, const peg_polytope *shape, double x, double y, double z);
/* A body without parts, with the inertia of a box. */
peg_body *scene_add_body(peg_body_kind kind, double mass, const double sides[3]);
peg_body *scene_add_cube(peg_body_kind kind, double mass, double x, double y, double z);
/* The half-space z <= 0. */
void scene_add_ground(void);
/* Turns a body so that its axis `from` points along `to`. */
void scene_turn_to(peg_body *b, const double *from, const double *to);
void scene_spin_about_z(peg_body *b, double angle);
void scene_set_velocity(peg_body *b, double vx, double vy, double vz);
/* Two spinning boxes that meet within the step, or nearly. */
void scene_random_impact(cases_random *r, double h);
/* A small cube, body 1, passes the edge of a large one [W Fig. 2] at random. Returns whether its
 * free motion keeps 1 mm away all along. */
int scene_random_pass(cases_random *r);

/* A step that must succeed. */
void scene_step(void);
/* Takes the step as an integrator would. */
void scene_advance(void);
/* Free velocities under gravity g. */
void scene_fall(double g);

/* Exact separation of two parts at the end of the step. */
double scene_separation(int a, int b);
/* World-frame inertia times w. */
void scene_spin_momentum(const peg_body *b, const double *w, double *out);
double scene_kinetic(const peg_body *b, const double *v);
/* With the velocities after the step, at the pose there: they may be others than those that moved
 * the body, whose energy is the same at both ends. */
double scene_kinetic_after(const peg_body *b);
double scene_total_impulse(void);

#endif
