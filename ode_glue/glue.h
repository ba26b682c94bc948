/* A peg world's side of ODE: which geoms and pairs take part, and one step of them.
 *
 * Everything of a step (bodies, parts) lies in the arena until the next step, so that the contacts
 * of the last step can be told. */
#ifndef PEG_GLUE_H
#define PEG_GLUE_H

#include "ode_glue/joints/joint_set.h"
#include "ode_glue/read/map.h"
#include "ode_glue/write/messages.h"
#include "ode_glue/read/shape.h"
#include "ode_glue/write/sleep.h"
#include "ode_glue/pairs/surface.h"
#include "peg/base/arena.h"
#include "peg/peg.h"
#include <ode/ode.h>

typedef struct peg_link {
    dBodyID id;
    int has_joints;  /* enabled ones, which ODE's step solves after us */
    int foreign;     /* of these: without rows here; ODE changes the velocity behind our back */
    int joined;      /* rows of joints act on it */
    double force[6]; /* force and torque accumulated by the program */
    double push[6];  /* those of the contacts, N and N m */
    double v[6];     /* velocity that the program sees */
    int tires;       /* idle for long enough: stopped, and put to sleep if its island sleeps */
    int met;         /* something that may touch it is near */
} peg_link;

typedef struct peg_glue {
    dWorldID world;
    peg_context *core;
    peg_report report;
    dSpaceID *space; /* the added spaces */
    int spaces, space_room;
    peg_map handed;  /* pairs handed over for the coming step, addresses in ascending order; during
                        the step also those that `near` hands over */
    peg_handed *how; /* of each of them; how_room entries */
    int how_room;
    int pair_lost;              /* there was no memory for one of them: the step must fail */
    dSurfaceParameters surface; /* of pairs that were handed over without one, or not at all */
    peg_sleep sleep;
    peg_shapes shapes;
    peg_joint_set joints;
    peg_joint_notes notes; /* of this step's joints */
    long set_right;        /* bodies that ODE left elsewhere than certified */
    dNearCallback *near;   /* the program's own, or null */
    void *near_data;
    dGeomID asked[2]; /* the pair that `near` is asked about */
    int accepted;     /* it was handed over */
    int stepping;

    peg_arena arena;
    peg_scene scene;
    peg_given *given; /* of the scene; given_room entries */
    size_t given_room;
    peg_map body_number; /* of the scene, by dBodyID */
    peg_link *link;      /* one per body of the scene */
    dJointID *joint;     /* of every row of the scene */
} peg_glue;

pegStatus peg_glue_create(dWorldID world, const pegSettings *settings, peg_glue **out);
/* Touches no object of ODE. */
void peg_glue_destroy(peg_glue *glue);

pegStatus peg_glue_add_space(peg_glue *glue, dSpaceID space);
pegStatus peg_glue_remove_space(peg_glue *glue, dSpaceID space);
/* Whether the geom or space lies in (or is) one of the added spaces, at whatever depth. */
int peg_glue_sweeps(const peg_glue *glue, dGeomID geom);

/* Says once that a geom has ODE's own contacts. */
void peg_glue_say_opaque(peg_glue *glue, const peg_shape *s);

/* Hands a pair of geoms (no spaces) over: the answer to `near`, or a pair of the coming step. how:
 * null for the default surface; a pair that was handed over with a surface keeps it then. Rays'
 * pairs count as done. Errors: NOT_FINITE (of the surface); SHAPE_UNKNOWN (the pair is kept, the
 * arrays may still be registered before the step); MEMORY (then the step fails, too). */
pegStatus peg_glue_hand_over(peg_glue *glue, dGeomID a, dGeomID b, const peg_handed *how);

/* During a collection: puts transforms in the place of geoms that they hold and that were handed
 * over. Error: MEMORY. */
pegStatus peg_glue_name_transforms(peg_glue *glue);

/* How the geoms of two parts were handed over for this step, or null; reversed: a is not that of
 * ODE's first body. */
const peg_handed *peg_glue_how(const peg_glue *glue, const peg_part *a, const peg_part *b,
                               int *reversed);

/* Surface of the pairs that have none of their own; null: frictionless. Error: NOT_FINITE. */
pegStatus peg_glue_set_surface(peg_glue *glue, const dSurfaceParameters *surface);

/* The default near callback for two geoms: hands over what no joint connects and what the sweep of
 * the added spaces does not find anyway. */
void peg_glue_near(peg_glue *glue, dGeomID a, dGeomID b);

/* Fills scene and link from ODE's world. Errors: NOT_FINITE, MASS, SHAPE_EMPTY, SHAPE_UNKNOWN,
 * MEMORY. */
pegStatus peg_glue_collect(peg_glue *glue, double h);
/* Opens the windows of the endless heightfields among the shapes, once the bodies are known. Error:
 * MEMORY. */
pegStatus peg_glue_open_windows(peg_glue *glue, peg_shape *const *shape, int n);
/* ODE's contacts of the pairs of opaque parts, to the scene. Error: MEMORY. */
pegStatus peg_glue_collect_given(peg_glue *glue);
/* The scene's pair filter and surfaces; their context is the glue. */
int peg_glue_may_touch(void *glue, const peg_part *a, const peg_part *b);
void peg_glue_surface(void *glue, const peg_part *a, const peg_part *b, peg_surface *out);

/* Adds the forces of the last peg_step's contacts to the feedback structures handed over. */
void peg_glue_fill_feedback(const peg_glue *glue);

/* joint_step.c: the joints that ODE's step is not to solve (peg_body.held; with `all`: every joint
 * that has rows) are left out of it; then put back, with their feedback. */
void peg_glue_leave_joints_out(peg_glue *glue, int all);
void peg_glue_put_joints_back(peg_glue *glue, int stepped);
/* Keeps the impulses of the joints for the next step. */
void peg_glue_keep_impulses(peg_glue *glue);
/* A body whose step by ODE did not come to what was certified is put there. */
void peg_glue_set_right(peg_glue *glue);

/* Hands the solved scene (v_pose, v_end, woken) to ODE and steps it. Error: MEMORY (ODE's own),
 * then ODE's world is as it was. Of stats only time_ode is written. */
pegStatus peg_glue_apply(peg_glue *glue, int quick, pegStats *stats);

/* One step: contacts, then dWorldStep or dWorldQuickStep. On an error ODE's world is as it was. The
 * pairs handed over are used up either way. */
pegStatus peg_glue_step(peg_glue *glue, double h, int quick, pegStats *stats);

/* Sums the statistics of a step up. */
void peg_stats_clear(pegStats *sum);
void peg_totals_add(pegStats *sum, const pegStats *step);

#endif
