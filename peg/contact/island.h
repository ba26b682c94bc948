/* The state of one island during a step, shared by the files of the outer loop.
 *
 * paper   | C             | unit | meaning
 * q_0,q_k | start, now    | -    | poses at the start and at the iterate (views of the pieces)
 * v_k     | v             | m/s  | iterate (kinematic bodies: their velocity, static: 0)
 * v_f     | target        | m/s  | free velocity
 *         | state.v_free  | m/s  | the same with the joints alone: what happens without contact
 * n       | pair.facet.n  | -    | chosen alternative, unit, from B to A
 * psi     | row.gap0, gap | m    | gap of the row's features at q_0 and at q_k
 * G       | row.Ga, Gb    | 1, m | Jacobian of the row; normal into A
 * delta   | pair.margin   | m    | gap that rows keep */
#ifndef PEG_ISLAND_H
#define PEG_ISLAND_H

#include "peg/base/arena.h"
#include "peg/base/thread_pool.h"
#include "peg/lcp/problem.h"
#include "peg/collide/box_box.h"
#include "peg/collide/separation.h"
#include "peg/base/tolerance.h"
#include "peg/contact/row_set.h"
#include "peg/contact/scene.h"

/* Rules of the outer loop that a test can leave out, to show what each is for. */
typedef enum peg_rule {
    PEG_RULE_FREE_MOTION = 1,   /* the first direction serves the free motion */
    PEG_RULE_FIRST_CONTACT = 2, /* rows where a fast pair meets on the way */
    PEG_RULE_SWING = 4,         /* rows where a turning body would swing through */
    PEG_RULE_CAUSE = 8,         /* slow pairs that stay violated: rows where they met */
    PEG_RULE_FACET_ROWS = 16,   /* rows of the chosen facet for violated pairs */
    PEG_RULE_TILT = 32,
    PEG_RULE_SWITCH = 64,
    PEG_RULE_LOCK = 128,
    PEG_RULE_RESTORE = 256,
    PEG_RULE_CLEARANCE = 2048,
    PEG_RULE_ELASTIC = 4096,
    PEG_RULE_PGS = 8192,    /* active islands are solved by projected Gauss-Seidel (PGS) */
    PEG_RULE_YIELD = 16384, /* a facet that holds as well is taken instead of the loaded one */
    PEG_RULE_SLIP = 32768   /* friction without limit yields where it contradicts itself */
} peg_rule;

typedef struct peg_rigid {
    peg_body state;        /* pose and velocities at the start of the (sub-)step */
    int body;              /* index in the scene */
    double unforced[6];    /* velocity without contact and without applied forces: v_0 after the
                           gyroscopic term */
    double target[6];      /* v_f: with applied forces and the pushes of motors, without joints */
    double x[3], R[9];     /* pose of the iterate */
    double at[6];          /* the velocities that lead there */
    int placed;            /* x, R and at hold */
    int moved;             /* the iterate is another one than at the last check of the pairs, .. */
    double shift[3], turn; /* .. by so much: of the centre, m, and about it, rad */
    double x0[3], R0[9];
    double inv_inertia[9]; /* body frame */
    double size;           /* largest extent of its pieces, m */
    int touched;           /* touches something at q_0 */
    int awake;             /* impulses reach it from what is awake */
    int limited;           /* it moved less than its velocity says */
} peg_rigid;

typedef struct peg_piece {
    const peg_part *part;
    int rigid;                  /* index in the island */
    double arm;                 /* largest distance of a point from the centre of mass, m */
    peg_view start, free_, now; /* views at q_0, at q(v_f), at q_k */
} peg_piece;

/* A body of a pair in an iterate: its piece at q_0 and there, its pose and the velocity that leads
 * to it. Rows are made for such poses: those of the island's iterate, or others on the way. */
typedef struct peg_placement {
    const peg_view *start, *now;
    const double *x, *R, *v;
    int rigid;
} peg_placement;

typedef struct peg_pair_pose {
    peg_placement a, b;
} peg_pair_pose;

/* What an attempt has tried with a pair so far. */
typedef struct peg_pair_tried {
    int failed_checks; /* iterations that left it violated */
    int stuck;         /* so many of them that a mesh may be touched anywhere */
    int causes;        /* advancements while it was violated */
    int met;           /* first contacts whose rows are kept */
    int switches;      /* of its facet */
    int yielded;       /* has taken a facet that held as well */
    int locked;        /* only facets that held at q_0 are allowed */
} peg_pair_tried;

typedef struct peg_pair {
    /* what the loops over all pairs look at */
    int a, b;                 /* pieces */
    int active;               /* a row is loaded: its impulse is positive */
    int checked;              /* its check holds while neither body moves: 1 unloaded, 2 loaded */
    int rechecked;            /* the last check of the pairs made it anew */
    int rows_kept;            /* its rows are those of the iteration before, impulses included */
    int has_first_contact;    /* has a first contact on the way */
    int fast;                 /* moved so far at its check that it could pass through something */
    int friction_pending;     /* an active row whose friction was not solved for yet, or an inactive
                                 one whose friction still acts */
    int violated;             /* was so after a solve */
    double s0;                /* separation at q_0 */
    double s;                 /* separation that was found at q_k (a lower bound) */
    double shortfall;         /* what it lacks, m */
    double moved_since_rows;  /* since its rows were made, m */
    double moved_since_check; /* how far the bodies have moved since the check, m */
    double moved_since_tilt;  /* the same since it was tilted last */
    double L, margin;
    /* the rest */
    double beside; /* bound of the facets beside the chosen one when it was tilted last */
    peg_facet facet;
    double width;
    double reach;          /* features farther apart than this make no row, m */
    double whole_reach;    /* as far as the bodies could get, m */
    double others, turned; /* as in peg_choice, of the facet at q_0 */
    double contact_time;   /* of the last first contact, as a share of the step; -1: none */
    int group; /* the first pair of the same parts: a mesh has many pairs with one part */
    peg_pair_tried tried;
    int from_out[2];              /* of A, B: the mesh is touched from outside only */
    const peg_cached_row *cached; /* impulses of the step before */
    int cached_rows;
    int nexternal;
    const peg_external *external; /* contacts that somebody else found: the pair has no others */
    peg_choice last_choice;       /* of the step before, at the poses of the start; n = 0: none */
    const peg_surface *surface;
    const peg_box_axis *start_axis; /* of two boxes; null: not sought */
    const peg_facet *start_facet;   /* of other polytopes */
} peg_pair;

typedef enum peg_result { PEG_CONVERGED, PEG_NOT_CONVERGED } peg_result;

/* How the velocities of an island are solved for. */
typedef enum peg_solve_mode {
    PEG_MODE_EXACT,     /* to the certificate */
    PEG_MODE_LIMITED,   /* the same within a limit of work */
    PEG_MODE_PGS,       /* projected Gauss-Seidel, to a fine tolerance (solve.h) */
    PEG_MODE_PGS_COARSE /* the same to a coarse one, with larger gaps; restorations move poses only
                         */
} peg_solve_mode;

/* Forms of the problem that is solved: a mask. The policy chooses the first four for an attempt,
 * whose start clears the others; it adds them as it finds a need. */
typedef enum peg_form {
    PEG_FORM_ACTIVE = 1,          /* bodies are faster than their weights make them in some steps */
    PEG_FORM_POSITIONS_APART = 2, /* velocities and positions are found one after the other */
    PEG_FORM_LEAST_VIOLATION = 4, /* the least violation is an answer: movers leave no room */
    PEG_FORM_SLIP = 8,            /* friction without limit yields a little */
    PEG_FORMS_OF_POLICY = 15,
    PEG_FORM_RECOVERY = 16,   /* a pair overlapped at q_0: such overlaps open */
    PEG_FORM_GAP_GROWTH = 32, /* thin gaps grow, while contact loses more energy than that takes */
    PEG_FORM_CLEARANCE = 64,  /* gaps below the margin stay as they are */
    PEG_FORM_ELASTIC = 128    /* contacts yield a little */
} peg_form;

/* What the islands of a step have in common, beside h and the settings. */
typedef struct peg_step_common {
    peg_result (*iterate)(peg_island *); /* one step by the model in force */
    const peg_part *part;                /* of the scene */
    const peg_capture *capture;
    unsigned disabled_rules; /* mask of peg_rule: rules that are left out */
    int planar;              /* as peg_scene.planar */
} peg_step_common;

/* A joint's row: constant over the step. */
typedef struct peg_joint_source {
    int row;  /* of the scene */
    int sign; /* its lambda is sign times that of the scene's row */
} peg_joint_source;

typedef struct peg_island_joints {
    int n;                    /* rows */
    peg_joint_source *source; /* n */
    peg_lcp_row *row;         /* n */
    double *lambda;           /* n: of the last solve for poses, N s */
    int relaxation;           /* level at which joints yield: see joint_solve.c */
} peg_island_joints;

/* The iteration before, as far as the next one builds on it. */
typedef struct peg_iteration_before {
    peg_row_set rows;
    peg_vec6 *v;     /* nr: its iterate */
    int has_motion;  /* its last solve was about v_f, with these rows */
    int is_restored; /* v is that answer, restored by the rows' impulses of that name */
} peg_iteration_before;

/* Room for the row makers. */
typedef struct peg_scratch {
    peg_view view[2];   /* of a pair, for poses on the way */
    peg_vec3 *seen[2];  /* of a patch: the vertices along n, .. */
    int *near;          /* .. edges of B that could meet one of A's, .. */
    unsigned char *low; /* .. vertices on the side that looks at the other piece */
} peg_scratch;

typedef struct peg_progress {
    int iteration; /* of the outer loop */
    double work;   /* that solves have taken in the step so far: see lcp_rows.h */
    double most;   /* of it when the attempt ends */
    int waits;     /* the last exact attempts have not opened its overlaps */
    int strides;   /* of conservative advancement in the step so far */
} peg_progress;

/* What is known of the velocities of a step besides: a mask. */
typedef enum peg_note {
    PEG_NOTE_FINAL = 1,    /* v_end is the model's own: nothing is added */
    PEG_NOTE_HELD = 2,     /* the integrator's own joints would not lead to v_pose */
    PEG_NOTE_UNSOLVED = 4, /* no velocities were found: impulses are not known */
    PEG_NOTE_BUDGET = 8    /* the iterations were not enough for the tolerance */
} peg_note;

typedef struct peg_step_result {
    peg_vec6 *v_end;    /* nd: velocities after the step */
    peg_vec6 *v_pose;   /* nd: velocities that lead from q_0 to q_k */
    double energy_gain; /* energy that contact added, J */
    double residual;    /* of the velocities, as a share of what they may change by (solve.h) */
    unsigned notes;     /* mask of peg_note */
} peg_step_result;

struct peg_island {
    /* given */
    double h; /* s */
    const pegSettings *settings;
    peg_step_common common;
    peg_arena *arena;
    peg_pool *pool; /* threads that share its work; null: one thread */
    pegStats *stats;
    peg_rigid *rigid; /* dynamic ones first */
    int nr, nd;
    peg_piece *piece;
    int npiece;
    peg_pair *pair;
    int npair;
    peg_mass_block *mass; /* nd */
    peg_island_joints joints;
    double energy_unit; /* energy scale of the island, J */
    peg_scratch scratch;
    /* how it is solved */
    peg_solve_mode mode;
    unsigned forms; /* mask of peg_form */
    /* the iteration */
    peg_progress progress;
    peg_row_set rows;
    peg_row_set first;    /* taken at poses of first contact, kept for the step */
    peg_row_set impulse;  /* v = v_f + M^-1 sum G^T lambda over these rows, exactly */
    peg_vec6 *v;          /* nr: iterate */
    peg_vec6 *v_motion;   /* nd: answer of the last solve about v_f */
    unsigned char *dirty; /* nr: has other rows than in the iteration before */
    peg_iteration_before before;
    /* what comes of it */
    int failed;   /* memory ran out, or .. */
    int unsolved; /* .. no answer was found and the settings want none that is no answer */
    peg_step_result result;
};

/* Velocities about v_f are exact until something else is known of them. */
static inline void peg_note_exact(peg_island *island)
{
    island->result.residual = 0;
    island->result.notes &= ~(unsigned)PEG_NOTE_BUDGET;
}

static inline int peg_has_rule(const peg_island *island, peg_rule rule)
{
    return !(island->common.disabled_rules & rule);
}

#endif
