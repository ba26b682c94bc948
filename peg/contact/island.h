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
#include "peg/contact/loaded_contact.h"
#include "peg/contact/row_set.h"
#include "peg/contact/scene.h"

/* Rules of the outer loop; a test switches one off to show its purpose. */
typedef enum peg_rule {
    PEG_RULE_FREE_MOTION = 1,   /* the first direction suits the free motion */
    PEG_RULE_FIRST_CONTACT = 2, /* rows at the first contact of a fast pair */
    PEG_RULE_SWING = 4,         /* rows at the deepest pose of a turning body */
    PEG_RULE_CAUSE = 8,         /* rows at the first contact of slow pairs that stay violated */
    PEG_RULE_FACET_ROWS = 16,   /* rows of the chosen facet for violated pairs */
    PEG_RULE_TILT = 32,
    PEG_RULE_SWITCH = 64,
    PEG_RULE_LOCK = 128,
    PEG_RULE_RESTORE = 256,
    PEG_RULE_YIELD = 512 /* an unloaded facet that separates as well replaces the loaded one */
} peg_rule;

typedef struct peg_rigid {
    peg_body state;        /* pose and velocities at the start of the (sub-)step */
    int body;              /* index in the scene */
    double unforced[6];    /* velocity without contact and without applied forces: v_0 after the
                           gyroscopic term */
    double target[6];      /* v_f: with applied forces and the pushes of motors, without joints */
    double middle[6];      /* velocity without contact at mid-step (PEG_FORM_MIDPOINT) */
    double x[3], R[9];     /* pose of the iterate */
    double at[6];          /* the velocities that lead to it */
    int placed;            /* x, R and at are valid */
    int moved;             /* the iterate has changed since the last check of the pairs, .. */
    double shift[3], turn; /* .. by this much: of the centre, m, and about it, rad */
    double x0[3], R0[9];
    double inv_inertia[9]; /* body frame */
    double size;           /* largest extent of its pieces, m */
    /* of dynamic ones a^T M a at q_0, J: of v_0, of v without contact, of what applied forces and
     * joints add in the step */
    double start_square, free_square, gained_square;
    int touched; /* touches something at q_0 */
    int awake;   /* connected by contacts with an awake body */
    int limited; /* it moved less than its velocity */
} peg_rigid;

typedef struct peg_piece {
    const peg_part *part;
    int rigid;                  /* index in the island */
    double arm;                 /* largest distance of its points from the centre of mass, m; .. */
    double extent[3];           /* .. their largest coordinates in the body's frame, m */
    peg_view start, free_, now; /* views at q_0, at q(v_f), at q_k */
    int has_start;              /* `start` is placed */
} peg_piece;

/* Placement of a pair's body: its piece at q_0 and at a pose, the pose, and the velocity that leads
 * to it. Rows are made for placements: of the iterate, or of a first contact. */
typedef struct peg_placement {
    const peg_view *start, *now;
    const double *x, *R, *v;
    int rigid;
} peg_placement;

typedef struct peg_pair_pose {
    peg_placement a, b;
} peg_pair_pose;

/* Changes that an attempt has made to a pair. */
typedef struct peg_pair_tried {
    int failed_checks; /* iterations that left it violated */
    int stuck;         /* enough of them to let a mesh be touched at every feature */
    int causes;        /* advancements while it was violated */
    int met;           /* first contacts whose rows are kept */
    int outdated;      /* rows of island->first up to here are outdated for the pair; 0: none */
    int switches;      /* of its facet */
    int yielded;       /* has changed to another facet that touched at q_0 */
    int locked;        /* only facets that separated the pair at q_0 are allowed */
} peg_pair_tried;

/* What a pair begins an attempt with. */
typedef struct peg_pair_start {
    int known; /* was found for the last attempt, where searches could (1) or could not be skipped
                  (2) */
    peg_facet facet, widest;
    double s0, others, turned;
} peg_pair_start;

typedef struct peg_pair {
    /* read by the loops over all pairs */
    int a, b;                 /* pieces */
    int active;               /* a row is loaded: its impulse is positive */
    int checked;              /* its check is valid until a body moves: 1 unloaded, 2 loaded */
    int rechecked;            /* checked in the last check of the pairs */
    int rows_kept;            /* keeps rows and impulses of the last iteration */
    int has_first_contact;    /* has a first contact in the motion */
    int fast;                 /* moved far enough at its check to tunnel */
    int friction_pending;     /* a row became active or inactive since its friction was solved */
    int friction_slips;       /* it has held a contact open: where it lands it acts no more */
    int violated;             /* was active after a solve */
    double s0;                /* separation at q_0 */
    double s;                 /* separation found at q_k, a lower bound */
    double shortfall;         /* shortfall of its gap, m */
    double moved_since_rows;  /* since its rows were made, m */
    double moved_since_check; /* motion of the bodies since the check, m */
    double moved_since_tilt;  /* motion since the last tilt, m */
    double clear;             /* bound on its separation in the whole motion, m: first_contact.h */
    double L, margin, width;
    double reach; /* largest distance of features with a row, m */
    const peg_surface *surface;
    const peg_box_axis *start_axis;   /* of two boxes; null: none */
    const peg_facet *start_facet;     /* of other polytopes */
    const peg_cached_contact *cached; /* impulses of the last step */
    int cached_contacts;
    int of_mesh; /* one part is a triangle of a mesh */
    /* the rest */
    double beside; /* bound on facets next to the chosen one at the last tilt, m */
    peg_facet facet;
    peg_facet widest;      /* at q_0, found with the first direction; n = 0: not known */
    double whole_reach;    /* largest distance the bodies can cover, m */
    double others, turned; /* as in peg_choice, of the facet at q_0 */
    double tangent[3];     /* first axis of its friction: friction_axis.h; 0: none */
    double reaction[3];    /* m/s: the same */
    int holds_axis;        /* friction that holds keeps it */
    double nearest;        /* least separation at q_0 of the pairs of the same two bodies, m; while
                              friction has a fixed limit, or none */
    double contact_time;   /* of the last first contact, as a share of the step; -1: none */
    int group;             /* the first pair of the same two parts: a mesh has many with one part */
    peg_pair_tried tried;
    peg_pair_start start; /* does not change from attempt to attempt */
    int from_out[2];      /* of A, B: the mesh is touched from outside only */
    int buried;           /* in an overlap of two meshes, which opens by other pairs: not checked */
    int nexternal;
    const peg_external *external; /* contacts found by the program: the pair has no others */
    peg_choice *choice; /* of the last step, at the poses of the start; n = 0: none; at the end
                           that of this step */
} peg_pair;

typedef enum peg_result { PEG_CONVERGED, PEG_NOT_CONVERGED } peg_result;

/* Solver of an island's velocities. */
typedef enum peg_solve_mode {
    PEG_MODE_EXACT,     /* to the certificate */
    PEG_MODE_LIMITED,   /* the same within a limit of work */
    PEG_MODE_PGS,       /* PGS to a fine tolerance (solve.h) */
    PEG_MODE_PGS_COARSE /* the same to a coarse one, with larger gaps; restorations move poses only
                         */
} peg_solve_mode;

/* Forms of the problem: a mask. The policy chooses the first five for an attempt, which begins
 * without the others and adds them as needed. */
typedef enum peg_form {
    PEG_FORM_ACTIVE = 1, /* active: bodies are faster than applied forces make them in some steps */
    PEG_FORM_POSITIONS_APART = 2, /* velocities and positions are solved separately */
    PEG_FORM_LEAST_VIOLATION = 4, /* least violation is accepted: moving obstacles leave no room */
    PEG_FORM_SLIP = 8,            /* friction without limit slips a little */
    PEG_FORM_MIDPOINT = 16,       /* the velocities of the iterate are those of mid-step */
    PEG_FORMS_OF_POLICY = 31,
    PEG_FORM_RECOVERY = 32,   /* a pair overlapped at q_0: penetration recovery */
    PEG_FORM_GAP_GROWTH = 64, /* thin gaps grow, within the energy that contact dissipates */
    PEG_FORM_CLEARANCE = 128, /* gaps below the margin stay as they are */
    PEG_FORM_ELASTIC = 256    /* contacts are compliant */
} peg_form;

/* Shared by the islands of a step, with h and the settings. */
typedef struct peg_step_common {
    peg_result (*iterate)(peg_island *); /* one step by the chosen model */
    const peg_part *part;                /* of the scene */
    const peg_capture *capture;
    unsigned disabled_rules; /* mask of peg_rule: rules switched off, .. */
    unsigned disabled_forms; /* .. and of peg_form: relaxations, for tests */
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
    double *correction;       /* n: speed of the row that corrects an error, m/s */
    double *alone;            /* n: without contact, N s; NaN: not known, or they yield */
    int relaxation;           /* level at which joints yield: see joint_solve.c */
} peg_island_joints;

/* State of the last iteration that the next one uses. */
typedef struct peg_iteration_before {
    peg_row_set rows;
    peg_vec6 *v;     /* nr: its iterate */
    int has_motion;  /* its last solve was about v_f with these rows */
    int is_restored; /* v is that answer, restored by lambda_restored of the rows */
} peg_iteration_before;

/* Work space of the row makers. */
typedef struct peg_scratch {
    peg_view view[2];   /* of a pair, for poses of a motion */
    peg_vec3 *seen[2];  /* of a patch: the vertices along n, .. */
    int *near;          /* .. edges of B that could touch one of A, .. */
    unsigned char *low; /* .. vertices on the side towards the other piece */
} peg_scratch;

/* Work beside the solves, in the unit of theirs (island/lcp_rows.h), 83 ns: of a pair in the start
 * of the first attempt, its rows, and its check in a pass; of a stride of conservative advancement.
 * Most of the time goes to rows in world 1750, where 2000 triangles are near 17 bodies, to checks
 * in world 468 (12 000 near 25), to strides in world 2416. */
enum {
    PEG_WORK_OF_START = 8,
    PEG_WORK_OF_ROWS = 12,
    PEG_WORK_OF_CHECK = 4,
    PEG_WORK_OF_STRIDE = 5
};

typedef struct peg_progress {
    int iteration;  /* of the outer loop */
    double work;    /* of the step so far */
    double most;    /* value at which the attempt ends */
    int waits;      /* the last exact attempts have not opened its overlaps */
    int strides;    /* of conservative advancement in the step so far */
    int restores;   /* rows are those of Newton's method on the gaps */
    int infeasible; /* the rows of the last exact solve contradict each other */
    double opening; /* share asked for of what overlaps of the start may recover in the step */
} peg_progress;

/* Properties of the velocities of a step: a mask. */
typedef enum peg_note {
    PEG_NOTE_FINAL = 1,    /* v_end is final: bounce and turned rows add nothing */
    PEG_NOTE_HELD = 2,     /* the integrator's joints would not lead to v_pose */
    PEG_NOTE_UNSOLVED = 4, /* no velocities were found, impulses are unknown */
    PEG_NOTE_BUDGET = 8    /* iterations ended above the tolerance */
} peg_note;

/* Velocities that the round before in the step has found, and their impulses. */
typedef struct peg_known {
    peg_vec6 *v;         /* nd: that lead to the poses; null: none */
    peg_vec6 *motion;    /* nd: after the step */
    double *joints;      /* lambda of the rows of joints, for the poses */
    peg_row_set impulse; /* of the latter */
    double residual;     /* of theirs, and their notes */
    unsigned notes;
} peg_known;

typedef struct peg_step_result {
    peg_vec6 *v_end;    /* nd: velocities after the step */
    peg_vec6 *v_pose;   /* nd: velocities that lead from q_0 to q_k */
    double energy_gain; /* energy added by contact, J */
    double residual;    /* residual of the velocities, as a share of the tolerance (solve.h) */
    unsigned notes;     /* mask of peg_note */
    int motion_rows;    /* rows of `impulse` that make the velocities of the motion */
} peg_step_result;

struct peg_island {
    /* given */
    double h; /* s */
    const pegSettings *settings;
    peg_step_common common;
    peg_arena *arena;
    peg_pool *pool; /* threads for its loops; null: one thread */
    pegStats *stats;
    peg_rigid *rigid; /* dynamic ones first */
    int nr, nd;
    peg_piece *piece;
    int npiece;
    peg_pair *pair;
    int npair;
    peg_mass_block *mass; /* nd */
    peg_island_joints joints;
    double energy_unit;   /* energy scale of the island, J */
    double most_friction; /* impulse of friction that its coefficient does not limit, N s */
    int is_uneven;        /* the masses of its bodies differ much */
    peg_scratch scratch;
    peg_known known;
    /* method */
    peg_solve_mode mode;
    unsigned forms; /* mask of peg_form */
    /* iteration */
    peg_progress progress;
    peg_row_set rows;
    peg_row_set first;        /* made at poses of first contact, kept for the step */
    peg_row_set impulse;      /* v = v_f + M^-1 sum G^T lambda over these rows, .. */
    peg_loaded_contact *load; /* .. and these contacts, exactly */
    int loads;
    peg_vec6 *v;          /* nr: iterate */
    peg_vec6 *v_motion;   /* nd: answer of the last solve about v_f */
    unsigned char *dirty; /* nr: its rows differ from those of the last iteration */
    peg_iteration_before before;
    peg_row_set unfinished; /* impulses (lambda_motion) at which the last exact solve about v_f
                               ended short of an answer */
    /* result */
    int failed;   /* memory ran out, or .. */
    int unsolved; /* .. no answer was found and the settings admit no other */
    peg_step_result result;
};

/* Velocities about v_f count as exact until a note says otherwise. */
static inline void peg_note_exact(peg_island *island)
{
    island->result.residual = 0;
    island->result.notes &= ~(unsigned)PEG_NOTE_BUDGET;
}

static inline int peg_has_rule(const peg_island *island, peg_rule rule)
{
    return !(island->common.disabled_rules & rule);
}

static inline int peg_may_take_form(const peg_island *island, peg_form form)
{
    return !(island->common.disabled_forms & form);
}

#endif
