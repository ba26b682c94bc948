/* The worlds of the program: what is kept of each. */
#ifndef PEG_LAUNCH_WORLD_REGISTRY_H
#define PEG_LAUNCH_WORLD_REGISTRY_H

#include "plugin/launch/base/real_ode.h"
#include "plugin/moving_bodies.h"
#include "plugin/world.h"

#include <pthread.h>
#include <stdatomic.h>

/* A contact joint of the program's. */
typedef struct peg_record {
    dJointID joint;
    dJointGroupID group;
    dContact contact;
    dBodyID body[2];      /* while it is detached: where it belongs */
    int taken;            /* handed over in this step, and detached */
    int watched;          /* the trace gave it a feedback, `whole`, for this step */
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

/* Of ODE's classes the first ones are simple: sphere, box, capsule, cylinder, plane. */
enum { PEG_COPIES = dPlaneClass + 1 };

/* What is kept of a world. */
typedef struct peg_world_entry {
    dWorldID world;
    pegWorldID peg;       /* null: not needed yet, or no memory */
    int number;           /* 1, 2, .. in the order of creation */
    double h;             /* of the last step; a guess before the first one */
    double time;          /* s, simulated */
    int exact;            /* the last step was */
    pthread_mutex_t lock; /* of the records, joints and trace: groups span worlds, and geoms go */
    peg_record *record;
    size_t records, record_room;
    peg_joint_set joints;          /* how joints were set; told to `peg` when it forgot */
    int group_size;                /* bodies of the largest group that joints connect, as counted */
    int group_steps;               /* until they are counted again */
    peg_depths usual, coming;      /* of the contacts of the last step, and of this one */
    peg_shapes shapes;             /* of geoms that ODE may have missed, since the last step */
    unsigned long changes;         /* of registered shapes, when the first of these was collected */
    peg_arena arena;               /* given back by every user */
    struct peg_findings *findings; /* of dCollide; null: none yet, or no memory */
    dGeomID copy[PEG_COPIES];      /* larger ones of geoms of these classes, or null */
    int said_left;                 /* that there are such: */
    peg_map odes;                  /* pairs of geoms whose contacts stay ODE's */
    int no_convex;                 /* a convex geom turned out not to be what was registered */
    long steps, stock_steps, failed_steps, stock_contacts;
    double depth;           /* m: deepest contact joint of the stock steps */
    double energy[2], gain; /* J: at the start and now; largest gain in a step */
    dBodyID *body;          /* all of them, if they are watched */
    size_t bodies, body_room;
    peg_moving_watch watch; /* if results are told */
    peg_moving moving;      /* what moved after so many steps: */
    long moving_steps;
    unsigned long moving_shapes; /* count of changes at the end of the last step */
    peg_trace *trace;            /* or null */
    struct peg_world_entry *next;
} peg_world_entry;

/* s: what a step is taken for before the first one was made. */
#define PEG_FIRST_STEP 0.02
/* The entry that this thread asked for last; valid until an entry is dropped. */
extern atomic_ulong peg_world_entry_drops; /* so far */
extern PEG_THREAD struct peg_recent_world_entry {
    dWorldID world;
    peg_world_entry *entry;
    unsigned long drops;
} peg_recent_world_entry;
peg_world_entry *peg_world_entry_find(dWorldID world);
/* The entry of a world, made if there is none; null without memory. */
static inline peg_world_entry *peg_world_entry_of(dWorldID world)
{
    const struct peg_recent_world_entry *recent = &peg_recent_world_entry;
    unsigned long drops = atomic_load_explicit(&peg_world_entry_drops, memory_order_acquire);
    return recent->world == world && recent->drops == drops ? recent->entry
                                                            : peg_world_entry_find(world);
}
/* The same of a body; null also if the body is null. */
peg_world_entry *peg_world_entry_of_body(dBodyID body);
/* Its peg world, made at the first call; null if that is not possible (it was said). */
pegWorldID peg_world_entry_peg(peg_world_entry *entry);
/* Takes the entry out of the registry; null if there is none. */
peg_world_entry *peg_world_registry_remove(dWorldID world);
/* Frees a removed entry, but for its records and trace. */
void peg_world_entry_free(peg_world_entry *entry);
void peg_world_registry_visit(void (*visit)(peg_world_entry *entry, void *context), void *context);

#endif
