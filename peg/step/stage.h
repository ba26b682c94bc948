/* The scene during a step. */
#ifndef PEG_STAGE_H
#define PEG_STAGE_H

#include "peg/base/sweep_and_prune.h"
#include "peg/base/thread_pool.h"
#include "peg/contact/island.h"
#include "peg/peg.h"
#include "peg/step/pair_cache.h"

/* A part in the world, at the start of the step. */
typedef struct peg_placed {
    peg_view view;      /* of a mesh: none */
    int has_view;       /* it is placed: of a box that moves once something reads it */
    double x[3], R[9];  /* pose of a mesh */
    int (*triangle)[2]; /* of a mesh: its triangles by hash, and their parts, or -1; null: none so
                           far */
    int room, count;    /* of these: a power of 2, of which half is used at most; used */
    double arm;         /* largest distance of its points from the body's centre of mass, m */
    double extent[3];   /* their largest coordinates in its frame, m */
    double travel;      /* how far its points may get in the step, m */
    int body;           /* index in the scene, or -1 */
    int moves;          /* belongs to a dynamic body */
    int paired_with;    /* of a triangle: the part it was paired with last, and 1 more; 0: none */
} peg_placed;

/* Of a part that is a box, what its pairs need until they are near; of others box.half is 0. */
typedef struct peg_placed_box {
    peg_box box;
    double size, travel; /* as of the shape, and in peg_placed */
} peg_placed_box;

/* A pair of parts whose boxes overlap; a has the smaller id. A pair with a mesh has candidates for
 * the nearby triangles, and one of the whole parts, which holds the filter's answer and the
 * surface. */
typedef struct peg_candidate {
    int a, b;
    uint64_t low, high; /* their ids: the order of pairs, in whatever order triangles were found */
    unsigned is_mesh_pair : 1; /* stands for those of its triangles */
    unsigned excluded : 1;     /* by the filter */
    unsigned is_new : 1;       /* whether it is near is not known yet */
    unsigned near : 1;         /* could touch in this step */
    unsigned in_island : 1;    /* has a disjunction in an island */
    unsigned is_current : 1;   /* of a resting pair: excluded and surface are those of this step */
    unsigned out_of_a : 1;     /* b lies outside of the closed mesh a; .. */
    unsigned out_of_b : 1;     /* .. a outside of b */
    unsigned is_deferred : 1;  /* a triangle in reach that is not expected to be met */
    unsigned has_facet : 1;    /* of other polytopes: their facet at the start is known */
    unsigned has_axis : 1;     /* is one of boxes, whose axis at the start is known */
    int nexternal;
    const peg_external *external;     /* contacts from outside */
    double reach;                     /* of a triangle: how near its features count, m; else 0 */
    const peg_cached_contact *cached; /* impulses of the step before */
    size_t first; /* of those of this step, among its island's; once gathered, in the context's
                     next cache */
    int cached_contacts, count;
    const peg_surface *surface; /* null: not queried */
    peg_row *impulse;           /* of the round before, if its island goes on from there */
    int impulses;
    const peg_choice *choice; /* of the step before, later of this one; null: none */
    peg_vec6 *along;    /* of two meshes whose triangles are sought along the motion that was found:
                           the velocities of both the last time; else null */
    double tangent[3];  /* first axis of its friction; or 0 */
    double reaction[3]; /* m/s: friction_axis.h */
    double n[3];        /* separating direction that is known, or was used last; or 0 */
    union {
        peg_box_axis axis; /* has_axis */
        peg_facet facet;   /* has_facet */
    };
} peg_candidate;

/* Two boxes whose swept boxes overlap; a has the smaller id. */
typedef struct peg_box_pair {
    int a, b;
    peg_box_axis axis; /* at the start */
} peg_box_pair;

/* The result of an island, in the arena of the worker that solved it. */
typedef struct peg_island_result {
    pegStats stats;
    peg_contact *contact;
    int contacts;
    peg_cached_contact *row; /* impulses, by pair */
    size_t rows;
} peg_island_result;

/* Of a body that was at rest in the last step, with all others of its island. */
typedef enum peg_activity {
    PEG_ACTIVE, /* was not, or something has changed for one of them */
    PEG_WOKEN,  /* something comes near: its pairs are to be found */
    PEG_RESTING /* goes on so: its island is left out, and the last results are its own */
} peg_activity;

/* The islands that were at rest at the end of a step. */
typedef struct peg_resting {
    int valid;
    peg_arena arena; /* of what follows */
    double h;
    int planar, nb, np, candidates, njoint_row;
    peg_joint_row *joint_row; /* with the results */
    peg_body *body;           /* with the results; of one that is active the kind alone */
    peg_part *part;           /* of those of active bodies the body alone */
    peg_candidate *candidate; /* of parts that rest: sorted by parts */
    peg_surface *surface;     /* of these candidates, as far as it was asked for */
    int surfaces;
    int *root;                  /* nb: of its island */
    peg_activity *rest;         /* nb; an immovable body rests while nobody moves it */
    unsigned char *changed;     /* np: the part is another one or elsewhere */
    peg_island_result **solved; /* nb: what the repetition of the island with this root comes to;
                                   null: none */
    pegStats stats;             /* of a step that repeats all of it */
} peg_resting;

/* What a thread has for itself. */
typedef struct peg_worker {
    peg_arena arena;          /* islands take and give back */
    peg_arena results;        /* of the step */
    int *rigid_of, *piece_of; /* nb + 1, parts: index in the island that is being built, or -1 */
    int pieces;               /* room of piece_of */
    int failed;
    int unsolved;   /* because an island has no answer (settings.paper_fallback) */
    char apart[64]; /* no cache line is shared with the next worker */
} peg_worker;

struct peg_context {
    pegSettings settings;
    peg_resting resting, next_resting; /* of the step before; being written */
    unsigned disabled_rules;           /* masks of peg_rule and peg_form that are left out: .. */
    unsigned disabled_forms;           /* .. for tests */
    const peg_capture *capture;        /* null: none */
    peg_arena arena;                   /* of the step */
    peg_arena kept;                    /* of the step, for what grows meanwhile */
    int parts;                         /* of the step, or of the last one */
    peg_pair_cache cache, next_cache;  /* of the step before; being written */
    peg_contact *contact;
    int contacts;
    size_t contact_capacity;
    peg_pool *pool;                     /* null: not needed yet */
    peg_worker worker[PEG_THREADS_MAX]; /* the first one is the thread that calls */
};

/* How a part's body moves in the step: by `shift`, give or take `beside`; it turns by `spin`, of
 * which `turn` is not about the part's own axis. */
typedef struct peg_prediction {
    double shift[3], beside, spin, turn; /* m, rad */
} peg_prediction;

/* Results of a body, kept apart until the step is whole. */
typedef struct peg_body_result {
    double v_pose[6], v_end[6], v_joints[6];
    int moved, woken, held, limited, unconverged;
    int goes_on; /* the next round does from the velocities of this one: 1; it does not: -1; no
                    island had it: 0 */
    double v_motion[6], residual; /* those after the step, as in peg_known */
    unsigned notes;
} peg_body_result;

typedef struct peg_stage {
    peg_context *context;
    peg_scene *scene;
    pegStats stats;
    /* parts: those of the scene, then the triangles that were met */
    peg_part *part;
    peg_placed *placed;
    int *scene_part; /* the part of the scene that it belongs to */
    int parts, part_capacity;
    peg_candidate *candidate, *sorted; /* the room, and the same to sort them into, or null */
    int candidates, candidate_capacity;
    peg_placed_box *box;    /* of the scene's parts */
    peg_box_pair *box_pair; /* too far apart at the start to be candidates */
    int box_pairs, box_pair_room;
    double *found_travel;        /* of the scene's parts, in the motion that was found, m */
    unsigned char *within_reach; /* of a candidate: the found motion could bring it near */
    peg_prediction *found; /* of the scene's parts: the most that triangles were sought for beside
                              the prediction, or 0; null without meshes */
    int searches;          /* for pairs so far: in all but the first the motion is known */
    int *root;             /* nb: union-find of the islands */
    int *first_body, *next_body;     /* nb: the bodies of an island by its root */
    int *first_pair, *next_pair;     /* by root; candidates */
    peg_vec6 *v_no_contact;          /* nb: the velocity after the step without contact */
    unsigned char *woken_by_joint;   /* nb: was asleep, and joints connect it with what is awake */
    int *first_joint, *next_joint;   /* by root; rows of joints */
    double *joint_lambda;            /* njoint_row: results */
    double *joint_alone;             /* njoint_row: as peg_island_joints */
    unsigned char *dirty;            /* nb: the island with this root is to be solved */
    double *work;                    /* nb: in the step so far, by one body of each island */
    const peg_surface *last_surface; /* that was asked for, or null */
    peg_island_result **solved; /* nb: of the island with this root, as it was solved last; null:
                                   it was not */
    int largest;                /* vertices, faces or edges of the largest shape */
    int round;                  /* how many times islands were solved before, with fewer pairs */
    peg_body_result *result;    /* nb */
    int failed;
    int unsolved; /* because an island has no answer, and not for want of memory */
} peg_stage;

#endif
