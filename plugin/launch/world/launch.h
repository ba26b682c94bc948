/* The launcher's side inside of the program: what the stand-ins of calls.h do.
 *
 * The program's calls come with peg_inside == 0; what ODE and this library call in turn, with
 * peg_inside > 0, and goes straight to ODE. The program's callbacks are called with 0 again.
 *
 * Contact generation: dSpaceCollide asks the program's near callback also about pairs that could
 * touch in the coming step (near.c), dCollide reports contacts of those that are about to
 * (touch.c), and the contact joints that the program makes of them are recorded (contacts.c). A
 * step hands the recorded pairs to pegWorldStep, with the joints detached; what has no exact
 * treatment keeps its joint. The one part of the project with state of its own. */
#ifndef PEG_LAUNCH_H
#define PEG_LAUNCH_H

#include "plugin/launch/preload/calls.h"
#include "plugin/launch/world/options.h"
#include "plugin/world.h"

#include <pthread.h>
#include <stdatomic.h>

/* ODE's own functions. */
extern const peg_calls *peg_ode;
/* Libraries that are loaded late may have this kind of thread's memory if it is little. */
#define PEG_THREAD _Thread_local __attribute__((tls_model("initial-exec")))
extern PEG_THREAD int peg_inside;

/* A contact joint of the program's. */
typedef struct peg_record {
    dJointID joint;
    dJointGroupID group;
    dContact contact;
    dBodyID body[2];      /* while it is detached: where it belongs */
    int taken;            /* handed over in this step, and detached */
    size_t share;         /* the record that gathers the pair's feedback */
    int shares;           /* how many divide it, of such a record */
    dJointFeedback whole; /* of the pair */
} peg_record;

/* By pairs of geoms: the least depth of a contact that the program made a joint of. */
typedef struct peg_depths {
    peg_map pair;
    double *of; /* room entries */
    int room;
} peg_depths;

typedef struct peg_trace peg_trace;

/* What is kept of a world. */
typedef struct peg_ward {
    dWorldID world;
    pegWorldID peg;       /* null: not needed yet, or no memory */
    int number;           /* 1, 2, .. in the order of creation */
    double h;             /* of the last step; a guess before the first one */
    double time;          /* s, simulated */
    int exact;            /* the last step was */
    pthread_mutex_t lock; /* of the records, joints and trace: groups span worlds, and geoms go */
    peg_record *record;
    size_t records, record_room;
    peg_joint_set joints;     /* how joints were set; told to `peg` when it forgot */
    peg_depths usual, coming; /* of the contacts of the last step, and of this one */
    peg_shapes shapes;        /* of geoms that ODE may have missed, since the last step */
    unsigned long changes;    /* of registered shapes, when the first of these was collected */
    peg_arena arena;          /* given back by every user */
    int said_left;            /* that there are such: */
    peg_map odes;             /* pairs of geoms whose contacts stay ODE's */
    int no_convex;            /* a convex geom turned out not to be what was registered */
    long steps, stock_steps, failed_steps, stock_contacts;
    double depth;           /* m: deepest contact joint of the stock steps */
    double energy[2], gain; /* J: at the start and now; largest gain in a step */
    dBodyID *body;          /* all of them, if they are watched */
    size_t bodies, body_room;
    peg_trace *trace; /* or null */
    struct peg_ward *next;
} peg_ward;

/* ---- launch.c */
extern peg_options peg_launch_options;
/* Whether contacts are exact, and not only measured. */
int peg_takes_over(void);
/* Whether the contact model knows the geom: the papers' know boxes, planes and convex geoms. */
int peg_model_has(dGeomID geom);

/* ---- wards.c */
/* s: what a step is taken for before the first one was made. */
#define PEG_FIRST_STEP 0.02
/* The ward that this thread asked for last; valid until a ward is dropped. */
extern atomic_ulong peg_ward_drops; /* so far */
extern PEG_THREAD struct peg_recent_ward {
    dWorldID world;
    peg_ward *ward;
    unsigned long drops;
} peg_recent_ward;
peg_ward *peg_ward_find(dWorldID world);
/* The ward of a world, made if there is none; null without memory. */
static inline peg_ward *peg_ward_of(dWorldID world)
{
    const struct peg_recent_ward *recent = &peg_recent_ward;
    unsigned long drops = atomic_load_explicit(&peg_ward_drops, memory_order_acquire);
    return recent->world == world && recent->drops == drops ? recent->ward : peg_ward_find(world);
}
/* The same of a body; null also if the body is null. */
peg_ward *peg_ward_of_body(dBodyID body);
/* Its peg world, made at the first call; null if that is not possible (it was said). */
pegWorldID peg_ward_peg(peg_ward *ward);
void peg_ward_drop(dWorldID world);
void peg_wards_visit(void (*visit)(peg_ward *ward, void *context), void *context);

/* ---- geoms.c: geoms that the program has shown */
/* A contact named the geom in a call of dCollide for `outer`: the same, or a transform about it. */
void peg_geom_seen(dGeomID geom, dGeomID outer);
/* What it was last seen in; null for what was never seen, or destroyed since. */
dGeomID peg_geom_outer(dGeomID geom);
typedef struct peg_arrays {
    const dReal *planes, *points;
    unsigned planecount, pointcount;
    const unsigned *polygons;
} peg_arrays;
/* The arrays of a convex geom whose shape is registered; 0: none. */
int peg_geom_arrays(dGeomID geom, peg_arrays *out);
/* A shape that was registered has changed or is gone; how often that was so. */
void peg_shapes_changed(void);
unsigned long peg_shape_changes(void);
/* How often a geom left a space, or its body. */
unsigned long peg_geom_changes(void);
void peg_geoms_changed(void);
/* How often the program moved a geom or its offset, or gave it another size. */
unsigned long peg_geom_moves(void);
void peg_take_movers_over(peg_calls *calls);
void peg_geom_destroy(dGeomID geom);
void peg_geom_set_body(dGeomID geom, dBodyID body);
void peg_space_remove(dSpaceID space, dGeomID geom);
void peg_space_destroy(dSpaceID space);
dGeomID peg_create_convex(dSpaceID space, const dReal *planes, unsigned planecount,
                          const dReal *points, unsigned pointcount, const unsigned *polygons);
void peg_set_convex(dGeomID geom, const dReal *planes, unsigned planecount, const dReal *points,
                    unsigned pointcount, const unsigned *polygons);

/* ---- heightfields.c */
void peg_take_heightfields_over(peg_calls *calls);
/* Reads the heights that a callback gives, which could not be called when it was set. */
void peg_geom_prepare(dGeomID geom);

/* ---- near.c */
void peg_each_geom(dSpaceID space, void (*each)(void *context, dGeomID geom), void *context);
void peg_space_collide(dSpaceID space, void *data, dNearCallback *near);
void peg_space_collide2(dGeomID a, dGeomID b, void *data, dNearCallback *near);
/* A geom or space that may be searched is about to be destroyed. */
void peg_searches_drop(dGeomID geom);
/* Calls the program's callback. */
void peg_call_near(dNearCallback *near, void *data, dGeomID a, dGeomID b);

/* ---- touch.c */
int peg_collide(dGeomID a, dGeomID b, int flags, dContactGeom *contact, int skip);

/* ---- contacts.c */
dJointID peg_create_contact(dWorldID world, dJointGroupID group, const dContact *contact);
void peg_destroy_joint(dJointID joint);
void peg_empty_group(dJointGroupID group);
void peg_destroy_group(dJointGroupID group);
void peg_records_free(peg_ward *ward);
/* The least depth at which the program made a contact joint of the pair, since it does so in every
 * step; 0: it does not. */
double peg_usual_depth(const peg_ward *ward, dGeomID a, dGeomID b);
/* Whether contacts of the pair could not be taken over. */
int peg_is_left_to_ode(const peg_ward *ward, dGeomID a, dGeomID b);
int peg_take_step(dWorldID world, dReal h);
int peg_take_quick_step(dWorldID world, dReal h);

/* ---- bodies.c */
void peg_body_destroy(dBodyID body);
/* The rest only for traces and summaries. */
void peg_watch_bodies(peg_calls *calls);
int peg_bodies_dynamic(const peg_ward *ward);
double peg_bodies_energy(const peg_ward *ward); /* J, kinetic and in gravity */

/* ---- trace.c: nothing without --trace */
void peg_trace_before(peg_ward *ward, double h);
void peg_trace_after(peg_ward *ward);
void peg_trace_space(dSpaceID space); /* the program collided it */
/* A body or geom, a space, is about to be destroyed. */
void peg_trace_gone(peg_trace *trace, void *object);
void peg_trace_end(peg_trace *trace);

/* ---- joints.c */
/* Puts the stand-ins of the joints' setters into the table. */
void peg_take_joints_over(peg_calls *calls);
/* Tells the peg world of the joints that it does not know. */
void peg_tell_joints(peg_ward *ward);
void peg_forget_joint(dJointID joint);

/* ---- report.c */
void peg_log(const char *format, ...) __attribute__((format(printf, 1, 2), nonnull(1)));
/* Something that exact contacts cannot do; ends the program if --strict says so. */
void peg_unsupported(const char *text);
void peg_report_begin(void);
void peg_report_before(peg_ward *ward, double h);
void peg_report_step(peg_ward *ward);
/* The world is about to be destroyed. */
void peg_report_end(peg_ward *ward);

#endif
