/* What the families of joints share: one joint's rows under construction. */
#ifndef PEG_JOINT_BUILD_H
#define PEG_JOINT_BUILD_H

#include "ode_glue/joints/joint.h"
#include "peg/base/math.h"

/* One body of the joint, or the world: at the origin, at rest. */
typedef struct peg_side {
    dBodyID id; /* null: the world */
    double x[3], q[4], R[9], v[6];
} peg_side;

typedef struct peg_joint_build {
    dJointID joint;
    peg_joint_reference *reference;
    int reversed;  /* the program's first body is B */
    peg_side a, b; /* ODE's order: a is a body */
    double h;
    double erp, cfm; /* for the rows to come; at first the world's */
    peg_joint_row *row;
    int n;
} peg_joint_build;

typedef dReal peg_param_getter(dJointID, int);
typedef void peg_vector_getter(dJointID, dVector3);

/* Correcting velocity per error, 1/s. */
static inline double peg_gain(const peg_joint_build *build)
{
    return (build->reference->gamma > 0 ? build->reference->gamma : build->erp) / build->h;
}

/* Bilateral rows that want the velocity rhs:
 * turn:  of A relative to B about u;
 * point: along u, of A's point at arm_a relative to B's at arm_b (from the centres, world frame);
 * slide: along u, of A relative to B, both taken in the middle between the centres. */
peg_joint_row *peg_row_turn(peg_joint_build *build, const double u[3], double rhs);
peg_joint_row *peg_row_point(peg_joint_build *build, const double u[3], const double arm_a[3],
                             const double arm_b[3], double rhs);
peg_joint_row *peg_row_slide(peg_joint_build *build, const double u[3], double rhs);

/* Three rows that bring two points together. */
void peg_rows_ball(peg_joint_build *build, const double arm_a[3], const double arm_b[3]);
/* Two rows that make an axis of B parallel to one of A (unit vectors, world frame). */
void peg_rows_align(peg_joint_build *build, const double axis_a[3], const double axis_b[3]);
/* Three rows that keep the relative rotation of the reference. */
void peg_rows_orient(peg_joint_build *build);

/* Unit vectors p, q that are normal to u and to each other. */
void peg_normals(const double u[3], double p[3], double q[3]);

/* The joint's anchors as arms from the centres. */
void peg_anchor_arms(const peg_joint_build *build, peg_vector_getter *first,
                     peg_vector_getter *second, double arm_a[3], double arm_b[3]);
/* A direction that was parallel in both bodies when the joint was set: from A's to B's. */
void peg_axis_in_b(const peg_joint_build *build, const double axis_a[3], double axis_b[3]);
/* The vector of A's (B's) frame that was v in B's (A's) frame when the joint was set. */
void peg_to_a(const peg_joint_reference *reference, const double v[3], double out[3]);
void peg_to_b(const peg_joint_reference *reference, const double v[3], double out[3]);
/* Place of A's centre in B's frame when the joint was set. */
void peg_place_of_a(const peg_joint_reference *reference, double out[3]);

/* Parameters of group 0, 1 or 2 of the joint. */
peg_limot peg_limot_read(const peg_joint_build *build, peg_param_getter *get, int group);
/* Finds the stop that x is at: whatever the stops; if they limit an angle; a position. */
void peg_limot_test(peg_limot *limot, double x);
void peg_limot_angle(peg_limot *limot, double angle);
void peg_limot_position(peg_limot *limot, double position);
/* The row of the limit or motor, if there is one; shapes as above. */
void peg_limot_turn(peg_joint_build *build, const peg_limot *limot, const double u[3]);
void peg_limot_slide(peg_joint_build *build, const peg_limot *limot, const double u[3]);
void peg_limot_point(peg_joint_build *build, const peg_limot *limot, const double u[3],
                     const double arm_a[3], const double arm_b[3]);

/* The families. */
typedef void peg_joint_family(peg_joint_build *build);
peg_joint_family peg_joint_ball, peg_joint_hinge, peg_joint_universal, peg_joint_hinge2;
peg_joint_family peg_joint_slider, peg_joint_fixed, peg_joint_pr, peg_joint_pu, peg_joint_piston;
peg_joint_family peg_joint_amotor, peg_joint_lmotor, peg_joint_plane2d;
peg_joint_family peg_joint_dball, peg_joint_dhinge, peg_joint_transmission;

#endif
