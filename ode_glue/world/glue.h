/* A peg world's side of ODE: its spaces, the pairs added for the coming step, what is kept from
 * step to step, and the step under way.
 *
 * Everything of a step (bodies, parts) lies in the arena until the next step, so that the contacts
 * of the last step can be told. */
#ifndef PEG_GLUE_H
#define PEG_GLUE_H

#include "ode_glue/joints/joint_set.h"
#include "ode_glue/base/map.h"
#include "ode_glue/base/messages.h"
#include "ode_glue/read/shape.h"
#include "ode_glue/read/auto_disable.h"
#include "ode_glue/read/surface.h"
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
    int idle;        /* idle for long enough: stopped, and put to sleep if its island sleeps */
    int met;         /* something that may touch it is near */
} peg_link;

typedef struct peg_converted {
    int known; /* in this step */
    peg_surface surface;
} peg_converted;

typedef struct peg_glue {
    dWorldID world;
    peg_context *core;
    peg_report report;
    dSpaceID *space; /* the added spaces */
    int spaces, space_room;
    peg_map added;       /* pairs added for the coming step, addresses in ascending order; during
                            the step also those that `near` adds */
    peg_pair_entry *how; /* of each of them; how_room entries */
    int how_room;
    peg_pair_entry seen;        /* the last one whose surface was looked at; or no surface */
    int pair_lost;              /* there was no memory for one of them: the step must fail */
    dSurfaceParameters surface; /* of pairs that were added without one, or not at all */
    int has_surface;            /* the program has set it */
    peg_converted converted[2]; /* it, of a pair and of one the other way round */
    peg_auto_disable sleep;
    peg_shapes shapes;
    peg_joint_set joints;
    peg_joint_notes notes; /* of this step's joints */
    int all_joined;        /* bodies that joints connect take part, also without geoms */
    long soft;             /* pairs with compliant contacts in this step */
    dJointID own_contact;  /* an enabled contact joint of the program's, or null */
    long set_right;        /* bodies that ODE left elsewhere than certified */
    dNearCallback *near;   /* the program's own, or null */
    void *near_data;
    dGeomID asked[2]; /* the pair that `near` is asked about */
    int accepted;     /* it was added */
    int stepping;

    peg_contact *told; /* the contacts of the step, as the program is told of them */
    size_t told_room;
    int told_now;    /* they are of the last step */
    int rough_steps; /* in a row, up to the last one: pegStats.unconverged */

    peg_arena arena;
    peg_scene scene;
    peg_external *given; /* of the scene; given_room entries */
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

/* Sums the statistics of a step up. */
void peg_stats_clear(pegStats *sum);
void peg_totals_add(pegStats *sum, const pegStats *step);

#endif
