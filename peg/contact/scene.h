/* A scene of rigid bodies, as it is handed to a step; and the contacts that come of it. */
#ifndef PEG_SCENE_H
#define PEG_SCENE_H

#include <stdint.h>

#include "peg/shape/polytope.h"
#include "peg/shape/triangle_mesh.h"

typedef enum peg_body_kind { PEG_STATIC = 0, PEG_KINEMATIC, PEG_DYNAMIC } peg_body_kind;

/* A rigid body. Frame of x, q: centre of mass; everything else in world coordinates. */
typedef struct peg_body {
    peg_body_kind kind;
    int asleep;        /* dynamic but disabled: moved only if its island has an awake body */
    double x[3], q[4]; /* pose at the start of the step, q = (w, x, y, z) */
    double v[6];       /* velocity at the start (linear, angular) */
    double v_free[6];  /* velocity that the integrator would reach without contacts and joints;
                          dynamic only */
    double mass;       /* kg; dynamic only */
    double inertia[9]; /* about the centre of mass, body frame, row-major, kg m^2; dynamic only */
    int gyroscopic;    /* ODE's implicit gyroscopic term is on */
    double max_angular_speed; /* rad/s, ODE's cap before the pose update; infinity: none */
    int finite_rotation; /* 0: ODE's default update (Cayley); 1: finite; 2: finite about axis */
    double finite_axis[3];
    /* results */
    double v_pose[6]; /* velocity with which the integrator reaches the certified pose */
    double v_end[6];  /* velocity to be set after the step; equals v_pose unless contacts bounced,
                         overlaps opened, or the position stage moved the poses */
    int moved_by_contact; /* an impulse acts on it */
    int woken;            /* was asleep, but its island is awake */
    int woken_by_joint;   /* woken, as joints connect it with what was awake at the start */
    int limited;          /* it moved less than contacts and forces ask for */
    int unconverged;      /* its velocity holds only roughly (pegStats) */
    double v_joints[6];   /* what the joints' impulses and pushes changed of v_free */
    int held; /* the integrator's own joints would not lead to v_pose: those of this body
                 are to be left out of its step, their impulses handed over with v_pose */
} peg_body;

/* A row of a joint:  lo <= lambda <= hi,  w = Ja v_a + Jb v_b + c lambda - rhs,
 *                    w >= 0 at lo, w <= 0 at hi, w = 0 between.
 * lambda acts as the impulse Ja^T lambda on A and Jb^T lambda on B (linear, angular; world frame,
 * about the centres of mass). The bounds are -infinity and infinity, 0 and infinity, -infinity and
 * 0, or -x and x. Rows of one joint lie together. */
typedef struct peg_joint_row {
    int body_a, body_b; /* indices; -1: the world */
    double Ja[6], Jb[6];
    double rhs;        /* m/s or rad/s: wanted velocity along the row */
    double correction; /* m/s or rad/s: what of rhs corrects an error of the joint, no drive */
    double c;          /* 1/kg or 1/(kg m^2): ODE's cfm / h */
    double lo, hi;     /* N s or N m s: ODE's force limits times h */
    double push;   /* N s or N m s: a further impulse along the row, besides lambda: the force with
                      which ODE lets a motor work at a stop (fudge factor) */
    double lambda; /* N s or N m s: in: that of the step before, or 0; out: that of this step */
} peg_joint_row;

/* A part of a body (or of the world: body = -1): a convex shape, a mesh, or what is neither; the
 * latter is opaque: it meets others only through peg_scene.external. */
typedef struct peg_part {
    const peg_polytope *shape;              /* or null */
    const peg_triangle_mesh *triangle_mesh; /* or null */
    double round;                           /* m: radius about the mesh, of a shape 0 */
    int opaque;                             /* if both are null, else 0 */
    int body;
    double offset[3], rotation[9]; /* pose of the part in the body's frame (world if body = -1) */
    uint64_t id;                   /* stable over steps, unique, > 0, less than 2^32 */
    void *user;                    /* passed to the pair filter */
} peg_part;

/* How a pair of parts slides, rolls, bounces and yields. All zero: frictionless, inelastic, rigid.
 */
typedef struct peg_surface {
    double mu, mu2;  /* friction along the first and second axis; infinite: no slip */
    int force_limit; /* mu, mu2, rho.. are limits in N (N m) and not multiples of the normal force
                      */
    int pyramid;     /* |f_1| <= mu f_n, |f_2| <= mu2 f_n; else a polyhedral cone of radius mu */
    double axis[3];  /* first axis, world frame; 0: along the sliding that would happen */
    double slip, slip2; /* m/(N s): sliding velocity per force along the axes */
    double motion[3];   /* m/s: wanted velocity of A relative to B along axis 1, 2 and the normal */
    double rho, rho2, rhoN; /* m: rolling friction about axis 1 and 2, spinning friction */
    double bounce;          /* coefficient of restitution, 0..1 */
    double bounce_speed;    /* m/s: no bounce below */
    int soft;               /* compliant: overlap is wanted, erp and cfm as in ODE */
    double erp, cfm;
} peg_surface;

/* An external contact, of a pair with an opaque part, as it was at the start of the step. */
typedef struct peg_external {
    int part_a, part_b; /* indices */
    double point[3];    /* world */
    double normal[3];   /* unit, from B to A */
    double gap;         /* m, < 0: overlap */
} peg_external;

typedef struct peg_scene {
    peg_body *body;
    int nb;
    const peg_part *part;
    int np;
    double h;   /* s, > 0 */
    int planar; /* all motion is in the x-y plane: see peg/shape/polygon_2d.h; no joints */
    peg_joint_row *joint_row;
    int njoint_row;
    const peg_external *external; /* those of a pair lie together, in one order of a and b; the
                               pairs' filter is asked for them, too */
    int nexternal;
    /* Whether two parts may touch; called at most once per pair and step, parts of one body and of
     * two immovable bodies never. Null: all may. */
    int (*may_touch)(void *context, const peg_part *a, const peg_part *b);
    /* Surface of a pair that may touch, zeroed beforehand; at most once per pair and step. a and b
     * come in the order of the contact's normal (into a). Null: frictionless. */
    void (*surface)(void *context, const peg_part *a, const peg_part *b, peg_surface *out);
    void *filter_context;
} peg_scene;

/* A contact with an impulse. */
typedef struct peg_contact {
    int part_a, part_b; /* indices into the scene of that step */
    double point[3];    /* world */
    double normal[3];   /* unit, from B to A */
    double gap;         /* m, at the end of the step */
    double impulse;     /* N s, >= 0, on A along the normal */
    double friction[3]; /* N s, on A, world */
    double torque[3];   /* N m s, of rolling and spinning friction, on A, world */
    int kind, i, j; /* feature pair: see peg_feature_kind; indices of vertices, edges and faces of
                       the parts; of a mesh: those of the mesh, a face being a triangle. A
                       cylinder's vertices are the centres of its caps, its edge is its
                       axis; vertices from 2 on are points of its rims */
} peg_contact;

#endif
