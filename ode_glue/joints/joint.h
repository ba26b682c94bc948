/* The rows of ODE's joints in an island's mixed LCP, as ODE itself will use them in its next step.
 *
 * ODE shows no rows, so they are rebuilt from what its public getters tell. What no getter tells
 * is, for nearly all types, a function of one thing: how the joint's two bodies lay to each other
 * when the joint was set. That relative pose is the joint's reference. It is exact if it was
 * captured when the joint was set, and inferred if the joint was first seen at a step: then the
 * joint is taken to be satisfied in that state, which is what programs set up.
 *
 * type                | read at every step            | from the reference
 * ball, double ball   | all                           | -
 * universal           | all                           | -
 * hinge, double hinge | anchors, axis in A, angle     | axis in B
 * piston              | anchors, axis in A, position, | axis in B
 *                     | angle                         |
 * hinge 2             | anchors, axes, angle          | angle between the axes
 * slider              | axis, position                | offset and relative rotation
 * fixed               | -                             | offset and relative rotation
 * PR                  | anchor in B, axes, position,  | anchor in A, axis in B
 *                     | angle                         |
 * PU                  | anchor in B, axes, position,  | anchor in A but for its part along the
 *                     | angles                        | sliding axis
 * angular motor       | axes, user's angles           | Euler angles (their zero)
 * linear motor        | axes as stored                | what they are relative to: must be told
 * plane 2d            | its three bilateral rows      | its motors: must be told
 * transmission        | anchors, axes, radii, phases  | directions of zero phase: first step
 *
 * Limits, motors, ERP, CFM and suspension are read at every step for all other types.
 *
 * A joint's rows come with body_a, body_b = 0: ODE's first body of the joint; 1: its second; -1:
 * the world; lambda is ODE's. */
#ifndef PEG_JOINT_H
#define PEG_JOINT_H

#include "peg/peg.h"
#include <ode/ode.h>

/* The most rows that one joint has. */
#define PEG_JOINT_ROWS 6

/* A limit and motor. */
typedef struct peg_limot {
    double lo, hi;             /* stops, m or rad */
    double speed, force;       /* motor; force 0: none */
    double fudge, bounce;      /* 0..1 */
    double cfm;                /* of the motor */
    double stop_erp, stop_cfm; /* of the stops */
    int stop;                  /* -1, 1: at the low, high stop; 0: at none */
    double excess;             /* m or rad beyond the stop */
} peg_limot;

/* What is remembered of a joint. Zero-initialised: nothing yet. */
typedef struct peg_joint_reference {
    int known;    /* turn and place were measured, for this type and these bodies */
    int inferred; /* not when the joint was set, but when it was first seen */
    double gamma; /* instead of the joint's ERP (model ratio); 0: none */
    dJointType type;
    dBodyID body[2];    /* ODE's order */
    double turn[4];     /* orientation of B in A's frame when the joint was set */
    double place[3];    /* place of B's centre in A's frame, m; the world is a body at 0 */
    double mark[3][3];  /* what getters told then, in the bodies' frames: detects a new setting */
    double wheel[2][3]; /* transmission: direction of phase 0 in the wheel's body */
    int relative[3];    /* linear motor: 0: axis in world frame, 1, 2: in A's, B's */
    peg_limot motor[3]; /* plane 2d: along x, along y, about z */
    int told[3];        /* something was told of that axis of the motor */
    int told_cfm[3];    /* the motor's own CFM */
} peg_joint_reference;

/* Whether rows are known for the type. */
int peg_joint_is_supported(dJointType type);
/* Whether the joint's rows hang on the reference's relative pose; on what the program must tell. */
int peg_joint_needs_pose(dJointID joint);
int peg_joint_needs_telling(dJointID joint);

/* Measures the reference from the bodies' present poses: to be called right after the joint was
 * attached and set. What was told of motors stays. */
void peg_joint_capture(dJointID joint, peg_joint_reference *reference);
/* A linear motor's axis was set, as dJointSetLMotorAxis takes `rel`. */
void peg_joint_tell_relative(peg_joint_reference *reference, int axis, int rel);
/* A parameter of a plane-2d joint's motor was set (axis 0: x, 1: y, 2: angle). The world's CFM is
 * the motor's until told otherwise. */
void peg_joint_tell_plane(peg_joint_reference *reference, int axis, int parameter, double value);

/* The rows of an enabled joint in a step of h, at most PEG_JOINT_ROWS; returns their number. A
 * reference that does not fit the joint as it is (never measured, other bodies, axes set anew) is
 * measured now and counts as inferred. 0 for joints without bodies and unsupported types. */
int peg_joint_rows(dJointID joint, peg_joint_reference *reference, double h,
                   peg_joint_row row[PEG_JOINT_ROWS]);

/* The joint's bodies in ODE's own order (a joint attached to (0, b) is kept turned round). */
void peg_joint_bodies(dJointID joint, dBodyID body[2]);

#endif
