/* Random bodies, and joints of every type in random places: what the tests of joints step. */
#ifndef JOINT_CASES_H
#define JOINT_CASES_H

#include "ode_glue/joints/joint.h"

void seed_random(unsigned long long value);
double uniform(double lo, double hi);
int chance(double p);
void random_vector(double size, double v[3]);
void random_unit(double u[3]);

dBodyID random_body(dWorldID world);
/* A motion by up to about `error` away from where the joint was set, random velocities and forces.
 */
void disturb(dBodyID body, double error);

typedef void set_param(dJointID, int, dReal);

typedef struct kind {
    const char *name;
    dJointID (*create)(dWorldID, dJointGroupID);
    void (*set)(dJointID, peg_joint_reference *); /* in random places */
    set_param *param;                             /* of limits and motors, or null */
    int groups;                                   /* of parameters */
    int stops;                                    /* ODE limits it */
    int two;                                      /* needs two bodies */
    int warm; /* has memory of its own: steps on; 2: rounding decides what its first step does */
} kind;

enum { KINDS = 18 };
extern const kind KIND[KINDS];

enum { STOPS = 1, MOTOR = 2, BOUNCE = 4 };

/* Random limits and motors of an attached joint. */
void set_limits(const kind *k, dJointID j, int what);

#endif
