/* The scene during a step: what pairs.c, assemble.c and step.c share. */
#ifndef PEG_STAGE_H
#define PEG_STAGE_H

#include "peg/contact/island.h"
#include "peg/base/thread_pool.h"
#include "peg/base/sweep_and_prune.h"

/* A part in the world, at the start of the step. */
typedef struct peg_placed {
    peg_view view;      /* of a mesh: none */
    double x[3], R[9];  /* pose of a mesh */
    int (*triangle)[2]; /* of a mesh: its triangles by hash, and their parts, or -1; null: none so
                           far */
    int room, count;    /* of these: a power of 2, of which half is used at most; used */
    double arm;         /* largest distance of its points from the body's centre of mass, m */
    double sweep;       /* how far its points may get in the step, m */
    int body;           /* index in the scene, or -1 */
    int moves;          /* belongs to a dynamic body */
    int met;            /* of a triangle: the part it was paired with last, and 1 more; 0: none */
} peg_placed;

/* A pair of parts that the broad phase met; a has the smaller id. A pair with a mesh has candidates
 * for the triangles that are met, and one of the whole parts, which has the answers. */
typedef struct peg_candidate {
    int a, b;
    uint64_t low, high; /* their ids: the order of pairs, in whatever order triangles were met */
    int whole;          /* stands for those of its triangles */
    int refused;        /* by the filter */
    int near;           /* could touch in this step */
    double reach;       /* of a triangle: how near its features count, m; else 0 */
    int linked;         /* has a disjunction in an island */
    int answered;       /* of a kept step: refused and surface are those of this step */
    const peg_row_memory *old; /* impulses of the step before */
    int olds;
    size_t first; /* of those of this step, among its island's; once gathered, in the context's
                     fresh memory */
    int count;
    const peg_given *given; /* contacts that somebody else found */
    int ngiven;
    const peg_surface *surface; /* null: nobody has asked */
    const peg_choice *choice;   /* of the step before, later of this one; null: none */
    double n[3];                /* direction that is known to separate or was used last, or 0 */
} peg_candidate;

/* What is remembered of a pair between steps. */
typedef struct peg_memory_entry {
    uint64_t low, high; /* ids of the parts */
    int a, b;           /* the scene's parts that these are, or belong to */
    double n[3];        /* from the part with the greater id to the one with the smaller */
    peg_choice choice;
    size_t first; /* of its impulses */
    int count;
} peg_memory_entry;

typedef struct peg_remembered {
    peg_memory_entry *entry;
    size_t count, capacity;
    peg_row_memory *row;
    size_t rows, row_capacity;
} peg_remembered;

/* What is gathered from an island; in the results of the worker that solved it. */
typedef struct peg_solved {
    pegStats stats;
    peg_contact *contact;
    int contacts;
    peg_row_memory *row; /* impulses, by pair */
    size_t rows;
} peg_solved;

/* Of a body that lay still in the last step, with all others of its island. */
typedef enum peg_rest {
    PEG_STIRS,  /* did not, or something has changed for one of them */
    PEG_ROUSED, /* something comes near: its pairs are to be found */
    PEG_RESTS   /* goes on so: its island is left out, and the last results are its own */
} peg_rest;

/* The islands of a step at whose end they lay still. */
typedef struct peg_still {
    int valid;
    peg_arena arena; /* of what follows */
    double h;
    int planar, nb, np, candidates, njoint_row;
    peg_joint_row *joint_row; /* with the results */
    peg_body *body;           /* with the results */
    peg_part *part;
    peg_candidate *candidate; /* of parts that rest: sorted by parts */
    peg_surface *surface;     /* of these candidates, as far as it was asked for */
    int surfaces;
    int *root;              /* nb: of its island */
    peg_rest *rest;         /* nb; an immovable body rests while nobody moves it */
    unsigned char *changed; /* np: the part is another one or elsewhere */
    peg_solved *solved;     /* nb: what the repetition of the island with this root comes to */
    pegStats stats;         /* of a step that repeats all of it */
} peg_still;

/* What a thread has for itself. */
typedef struct peg_worker {
    peg_arena arena;          /* islands take and give back */
    peg_arena results;        /* of the step */
    int *rigid_of, *piece_of; /* nb + 1, parts: index in the island that is being built, or -1 */
    int pieces;               /* room of piece_of */
    int failed;
    char apart[64]; /* no cache line is shared with the next worker */
} peg_worker;

struct peg_context {
    pegSettings settings;
    peg_still still, next_still;  /* of the step before; being written */
    unsigned without;             /* rules of the outer loop that are left out: for tests */
    const peg_capture *capture;   /* null: none */
    peg_arena arena;              /* of the step */
    peg_arena kept;               /* of the step, for what grows meanwhile */
    int parts;                    /* of the step, or of the last one */
    peg_remembered memory, fresh; /* of the step before; being written */
    peg_contact *contact;
    int contacts;
    size_t contact_capacity;
    peg_pool *pool;                     /* null: not needed yet */
    peg_worker worker[PEG_THREADS_MAX]; /* the first one is the thread that calls */
};

/* Results of a body, kept apart until the step is whole. */
typedef struct peg_outcome_of_body {
    double v_pose[6], v_end[6], v_joints[6];
    int moved, woken, held;
} peg_outcome_of_body;

typedef struct peg_stage {
    peg_context *context;
    peg_scene *scene;
    pegStats stats;
    /* parts: those of the scene, then the triangles that were met */
    peg_part *part;
    peg_placed *placed;
    int *whole; /* the part of the scene that it belongs to */
    int parts, part_capacity;
    peg_candidate *candidate, *sorted; /* the room, and the same to sort them into, or null */
    int candidates, candidate_capacity;
    int searches;                  /* for pairs so far: in all but the first the motion is known */
    int *root;                     /* nb: union-find of the islands */
    int *first_body, *next_body;   /* nb: the bodies of an island by its root */
    int *first_pair, *next_pair;   /* by root; candidates */
    double (*alone)[6];            /* nb: the velocity after the step without contact */
    unsigned char *roused;         /* nb: was asleep, and joints connect it with what is awake */
    int *first_joint, *next_joint; /* by root; rows of joints */
    double *joint_lambda;          /* njoint_row: results */
    unsigned char *dirty;          /* nb: the island with this root is to be solved */
    peg_solved *solved;            /* nb: of the island with this root, as it was solved last */
    int largest;                   /* vertices, faces or edges of the largest shape */
    peg_outcome_of_body *result;   /* nb */
    int failed;
} peg_stage;

/* --- still.c --- */
/* Compares the scene with that of the last step: which islands go on resting. */
void peg_still_compare(peg_context *context, const peg_scene *scene);
/* If all do: writes the results of the step and returns 1. */
int peg_still_repeat(peg_context *context, peg_scene *scene, pegStats *stats);
/* Hands the islands that rest their results. */
void peg_still_take(peg_stage *stage);
/* Rouses the islands that something is near to; returns whether there are such. */
int peg_still_rouse(peg_stage *stage);
/* Whether a body, if it is dynamic, goes on resting. */
int peg_still_rests(const peg_stage *stage, int body);
/* Remembers what is remembered of the pairs that rest; 0 without memory. */
int peg_still_remember(peg_stage *stage);
/* The pair c, if it was asked about in this step; else null. */
const peg_candidate *peg_still_answer(const peg_still *last, const peg_candidate *c);
/* Keeps the islands of a committed step that lie still; without memory they are not kept. */
void peg_still_keep(peg_stage *stage);

/* --- parts.c --- */
/* Places the scene's parts. */
int peg_place_parts(peg_stage *stage);
/* Triangle t of a mesh as a polytope of two faces, in the arena; null without memory. */
const peg_polytope *peg_triangle_of(peg_arena *arena, const peg_complex *mesh, int t);
/* The part of a triangle of a mesh, or -1 without memory. */
int peg_triangle_part(peg_stage *stage, int mesh, int triangle);
/* How far a part's points get from where they are, at most, while its body moves with v, m. */
double peg_travel(const peg_stage *stage, int part, const double v[6]);
/* Velocity of the part's body in the motion that was found. */
void peg_found_velocity(const peg_stage *stage, int part, double v[6]);
/* The part where that motion ends, in the stage's arena; 0 without memory. */
int peg_place_at_end(peg_stage *stage, int part, peg_view *view);
/* The box about a part at the start; empty for an opaque one. */
void peg_box_of_part(const peg_stage *stage, int part, peg_aabb *box);

/* --- pairs.c --- */
int peg_view_allocate(peg_arena *arena, const peg_polytope *shape, peg_view *view);
/* Adds the pairs of boxes that overlap and are not known yet; marks the near ones. `before`: boxes
 * of which all pairs are known, or null. */
int peg_find_pairs(peg_stage *stage, const peg_aabb *box, const peg_aabb *before);
/* The same for the bodies that were roused; box: those of the start. */
int peg_find_pairs_of_roused(peg_stage *stage, const peg_aabb *box);
void peg_start_boxes(const peg_stage *stage, peg_aabb *box);
void peg_end_boxes(const peg_stage *stage, peg_aabb *box);
/* Order of candidates, for qsort and bsearch. */
int peg_by_parts(const void *left, const void *right);
/* Size of a pair and distance up to which its features count, m. */
double peg_candidate_size(const peg_stage *stage, const peg_candidate *c);
double peg_candidate_reach(const peg_stage *stage, const peg_candidate *c);
/* The candidate of two parts of the scene; null: none. */
peg_candidate *peg_candidate_of(const peg_stage *stage, int a, int b);
/* Islands of the near pairs: union-find over the dynamic bodies, then lists by root. */
int peg_link_islands(peg_stage *stage);
int peg_root(peg_stage *stage, int body);
void peg_unite(peg_stage *stage, int a, int b);

/* --- joint_groups.c --- */
/* Velocities without contact, of bodies that joints hold together: `alone`; wakes whom joints
 * connect with what is awake. Returns 0 without memory. */
int peg_step_joints(peg_stage *stage);
/* The bodies of a joint belong to one island. */
void peg_unite_joined(peg_stage *stage);
/* Takes an island's rows of joints, in the order of the scene. rigid_of: its bodies' indices. */
int peg_take_joints(peg_stage *stage, peg_island *island, const int *rigid_of, int root);
/* What the joints' impulses came to, to the stage's results. */
void peg_give_joints(peg_stage *stage, const peg_island *island);

/* --- assemble.c --- */
/* Asks for the surfaces of an island's pairs. */
void peg_ask_surfaces(peg_stage *stage, int root);
/* Builds and steps the island of a root, and takes its results. Touches nothing of other islands,
 * and calls nobody: islands may run on several threads, each with a worker of its own. */
void peg_run_island(peg_stage *stage, peg_worker *worker, int root);

/* --- islands.c --- */
/* Empties the workers; 0 without memory. */
int peg_workers_begin(peg_stage *stage);
/* Solves the dirty islands. */
void peg_run_islands(peg_stage *stage);
/* Whether an island with this root was solved in this step. */
int peg_is_solved(const peg_stage *stage, int root);
/* Takes the islands' contacts and impulses to the context; 0 without memory. */
int peg_gather_islands(peg_stage *stage);

/* --- context.c --- */
/* Bytes that its arenas and arrays hold. */
size_t peg_context_memory(const peg_context *context);

/* --- remember.c --- */
const peg_memory_entry *peg_recall(const peg_remembered *memory, uint64_t low, uint64_t high);
/* Null when memory ran out. */
peg_memory_entry *peg_remember(peg_remembered *memory, uint64_t low, uint64_t high);
/* Takes an island's rows to the end; 0 when memory ran out. */
int peg_remember_rows(peg_remembered *memory, const peg_row_memory *row, size_t n);
void peg_sort_memory(peg_remembered *memory);

#endif
