/* Small planar scenes for the tests of the contact models. */
#ifndef PLANAR_SCENE_H
#define PLANAR_SCENE_H

#include "peg/shape/polygon_2d.h"
#include "peg/peg.h"

enum { PLANAR_BODIES = 12, PLANAR_PARTS = 16 };

typedef struct planar_scene {
    peg_scene s;
    peg_body body[PLANAR_BODIES];
    peg_part part[PLANAR_PARTS];
    peg_polytope *shape[PLANAR_PARTS];
    peg_context *context;
    pegSettings settings;
    pegStats stats, sum;
    double mu, gravity;
} planar_scene;

/* The scene of the test that runs. */
extern planar_scene P;

void planar_begin(pegContactModel model, double h);
void planar_end(void);
/* Static polygon, world coordinates. */
void planar_add_ground(const double (*points)[2], int n);
/* Static half-plane below the line through the origin with this outward normal. */
void planar_add_half_plane(double nx, double ny);
peg_body *planar_add_polygon(const double (*points)[2], int n, double mass, double x, double y,
                             double angle);
peg_body *planar_add_box(double a, double b, double mass, double x, double y, double angle);
peg_body *planar_add_particle(double mass, double x, double y, double vx, double vy);
/* A step under gravity, taken as an integrator would. */
void planar_step(void);
/* The smallest separation of two parts as they are now; of a point and a polygon too. */
double planar_separation(int a, int b);
double planar_total_impulse(void);

#endif
