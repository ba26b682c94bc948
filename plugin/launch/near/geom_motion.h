/* How far geoms can get in the coming step, whose length is that of the step before. */
#ifndef PEG_LAUNCH_GEOM_MOTION_H
#define PEG_LAUNCH_GEOM_MOTION_H

#include "plugin/launch/world/world_registry.h"

/* Lengths relative to the size L of the smaller geom (half of its box's diagonal): how near geoms
 * count however slow they are. Contacts need it, as they keep a gap (settings.margin). */
#define PEG_NEAR_MARGIN 0.02
/* Bodies may get faster by contact than they are: their motion counts this often. */
#define PEG_NEAR_MOTION 1.5

/* What all bodies of a world have in common. */
typedef struct peg_common {
    dWorldID world;
    double h, falling; /* s; m/s that gravity adds in a step */
    dVector3 gravity;
} peg_common;

void peg_look_up(peg_common *common, dWorldID world);

static inline double peg_length(const dReal v[3])
{
    double square = peg_dot(v, v);
    return square > 0 ? sqrt(square) : 0;
}

/* Half of the diagonal of a box; infinite for a plane's. */
static inline double peg_box_size(const dReal box[6])
{
    double side[3];
    for (int k = 0; k < 3; k++) side[k] = box[2 * k + 1] - box[2 * k];
    return .5 * sqrt(peg_dot(side, side));
}

/* Way of the points in the box, m, around a body at x that turns with w and goes at a speed. */
static inline double peg_way(double h, double speed, const dReal x[3], const dReal w[3],
                             const dReal box[6])
{
    double turn = peg_length(w);
    if (turn > 0) {
        double arm[3]; /* to the box's farthest corner */
        for (int k = 0; k < 3; k++) arm[k] = peg_max(x[k] - box[2 * k], box[2 * k + 1] - x[k]);
        speed += turn * sqrt(peg_dot(arm, arm));
    }
    return PEG_NEAR_MOTION * h * speed;
}

/* Change of a body's speed in a step by the forces on it. */
static inline double peg_push(double h, dBodyID body, const dReal force[3])
{
    double push = peg_length(force);
    dMass mass;
    if (!(push > 0)) return 0;
    dBodyGetMass(body, &mass);
    return h * push / mass.mass;
}

/* How far the points of a geom may get in the coming step, m; those in a box that go with a body.
 */
double peg_body_motion(peg_common *common, dBodyID body, const dReal box[6]);

#endif
