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

#include "peg/island/joint_row.h"
#include "peg/base/arena.h"
#include "peg/peg.h"
#include "peg/lcp/problem.h"
#include "peg/collide/separation.h"
#include "peg/base/tolerance.h"

/* Rules of the outer loop that a test can leave out, to show what each is for. */
enum {
    PEG_RULE_FREE_MOTION = 1,   /* the first direction serves the free motion */
    PEG_RULE_FIRST_CONTACT = 2, /* rows where a fast pair meets on the way */
    PEG_RULE_SWING = 4,         /* rows where a turning body would swing through */
    PEG_RULE_CAUSE = 8,         /* slow pairs that stay violated: rows where they met */
    PEG_RULE_FACET_ROWS = 16,   /* rows of the chosen facet for violated pairs */
    PEG_RULE_TILT = 32,
    PEG_RULE_SWITCH = 64,
    PEG_RULE_LOCK = 128,
    PEG_RULE_RESTORE = 256,
    PEG_RULE_SECANT = 512,
    PEG_RULE_DROP = 1024, /* rows behind the start go if they add energy */
    PEG_RULE_CLEARANCE = 2048,
    PEG_RULE_ELASTIC = 4096,
    PEG_RULE_SWEEP = 8192, /* tumbling islands are solved by sweeps */
    PEG_RULE_YIELD =
        16384, /* a facet that holds as well frees the pair from the one that is loaded */
    PEG_RULE_SLIP = 32768,  /* friction without limit yields where it contradicts itself */
    PEG_RULE_WEAKEN = 65536 /* impulses that carry a little more than the weights become weaker */
};

typedef struct peg_rigid {
    peg_body state;        /* pose and velocities at the start of the (sub-)step */
    int body;              /* index in the scene */
    double coast[6];       /* velocity without contact and without applied forces: v_0 after the
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
} peg_rigid;

typedef struct peg_piece {
    const peg_part *part;
    int rigid;                  /* index in the island */
    double arm;                 /* largest distance of a point from the centre of mass, m */
    peg_view start, free_, now; /* views at q_0, at q(v_f), at q_k */
} peg_piece;

/* Impulse of a row, remembered until the next step. */
typedef struct peg_row_memory {
    int kind, i, j, friction;
    double lambda;
    int rolls;
    double local[3];     /* point in the frame of A's body, m */
    double direction[3]; /* of a friction row, world */
} peg_row_memory;

typedef struct peg_pair {
    /* what the loops over all pairs look at */
    int a, b;        /* pieces */
    int loaded;      /* a row bears */
    int checked;     /* its check holds while neither body moves: 1 unloaded, 2 loaded */
    int fresh;       /* the last check of the pairs made it anew */
    int kept;        /* its rows are those of the iteration before, impulses included */
    int hits;        /* has a first contact on the way */
    int fast;        /* moved so far at its check that it could pass through something */
    int waits;       /* a row bears whose friction has not acted yet, or rubs and bears no more */
    int violated;    /* was so after a solve */
    double s0;       /* separation at q_0 */
    double s;        /* separation that was found at q_k (a lower bound) */
    double short_of; /* what it lacks, m */
    double moved;    /* since its rows were made, m */
    double off;      /* how far the bodies have moved since the check, m */
    double since;    /* the same since it was tilted last */
    double L, margin;
    /* the rest */
    double beside; /* bound of the facets beside the chosen one when it was tilted last */
    peg_facet facet;
    double width;
    double reach;          /* features farther apart than this make no row, m */
    double whole_reach;    /* as far as the bodies could get, m */
    double others, turned; /* as in peg_choice, of the facet at q_0 */
    double contact_time;   /* of the last first contact, as a share of the step; -1: none */
    int group;  /* the first pair of the same parts: a mesh has many pairs with one part */
    int causes; /* advancements while it was violated */
    int switches;
    int yielded;               /* has taken a facet that held as well */
    int locked;                /* only facets that held at q_0 are allowed */
    int no_traps;              /* rows behind the start are dropped */
    int misses;                /* iterations that left it violated */
    int stuck;                 /* so many of them that a mesh may be touched anywhere */
    const peg_row_memory *old; /* impulses of the step before */
    int olds;
    int ngiven;
    const peg_given *given; /* contacts that somebody else found: the pair has no others */
    peg_choice remembered;  /* of the step before, at the poses of the start; n = 0: none */
    peg_surface surface;
} peg_pair;

typedef enum peg_row_kind {
    PEG_ROW_VF = 0, /* vertex i of A over face j of B */
    PEG_ROW_FV = 1, /* vertex i of B under face j of A */
    PEG_ROW_EE = 2, /* edge i of A, edge j of B */
    /* of dilated pairs, as the kinds of facets: */
    PEG_ROW_VV = 3,
    PEG_ROW_VE = 4,
    PEG_ROW_EV = 5,
    PEG_ROW_GIVEN = 6 /* i: which one of the pair */
} peg_row_kind;

/* What a row's i (side 0) and j (side 1) number. */
typedef enum peg_part_feature { PEG_A_VERTEX, PEG_AN_EDGE, PEG_A_FACE } peg_part_feature;
peg_part_feature peg_row_feature(peg_row_kind kind, int side);

typedef struct peg_row {
    /* what the loops over all rows look at */
    int pair;
    int friction;      /* 0: normal row; k: k-th friction row of the normal row k places before */
    int first_contact; /* taken at a pose of first contact: stays for the step */
    int bore;          /* a normal row, whose impulse was positive before the last solve */
    double lambda;     /* of the last solve, N s */
    double main;       /* of the last solve about v_f, N s */
    double restored;   /* of the last restoration of that answer, N s */
    double gap0, gap;  /* m */
    double bias;       /* G v + bias >= 0 with the immovable bodies' part folded in, m/s */
    struct peg_swept *swept; /* of the first row of a pair: what sweeps keep of all of them */
    /* what a solve looks at besides */
    double target;    /* gap that it asks for, m */
    double recovery;  /* what asks for more than standing still while overlaps open, m/s (<= 0) */
    double mu, limit; /* friction: |lambda| <= limit + mu lambda of the normal row; what has a limit
                         waits until that one bears */
    double compliance; /* 1/kg */
    double pushed;     /* part of the demand that exceeds the gap at the start, m (>= 0) */
    double given;      /* what immovable bodies and the surface add to the row's speed, m/s */
    double Ga[6], Gb[6];
    /* the rest */
    peg_row_kind kind;
    int i, j;
    int rolls;                  /* a friction row that acts on the angular velocity alone */
    double point[3], normal[3]; /* of a friction row: its direction */
    double local[3];            /* point in the frame of A's body */
} peg_row;

typedef struct peg_row_set {
    peg_row *row;
    int m, capacity;
    int patches; /* of an iteration: rows before those of first contacts */
} peg_row_set;

/* A joint's row: constant over the step. */
typedef struct peg_island_joint {
    int row;           /* of the scene */
    int sign;          /* its lambda is sign times that of the scene's row */
    peg_lcp_row whole; /* for a step of the whole length */
} peg_island_joint;

typedef struct peg_island {
    double h, whole; /* of the sub-step and of the step, s */
    int planar;      /* as peg_scene.planar */
    const pegSettings *settings;
    unsigned without; /* rules that are left out */
    const peg_capture *capture;
    peg_arena *arena;
    pegStats *stats;
    const peg_part *part; /* of the scene */
    peg_rigid *rigid;     /* dynamic ones first */
    int nr, nd;
    peg_piece *piece;
    int npiece;
    peg_pair *pair;
    int npair;
    peg_row_set rows, last; /* of this iteration and of the one before */
    peg_row_set first;      /* taken at poses of first contact, kept for the step */
    peg_row_set impulse;    /* v = v_f + M^-1 sum G^T lambda over these rows, exactly */
    peg_island_joint *joint;
    int njoint;                   /* rows of joints */
    peg_lcp_row *joint_row;       /* njoint: for a (sub-)step of h */
    double *joint_lambda;         /* njoint: of the last solve for poses, N s */
    double *joint_sum;            /* njoint: of the sub-steps taken so far, N s */
    int yield;                    /* level at which joints yield: see joints.c */
    int held;                     /* the integrator's own joints would not lead to v_pose */
    int scaled;                   /* the velocities were scaled back: no impulses are known */
    peg_mass_block *mass;         /* nd */
    double (*v)[6], (*v_last)[6]; /* nr: iterate and the one before */
    double (*v_main)[6];          /* nd: answer of the last solve about v_f */
    int restored;        /* v_last is that answer, restored by the rows' impulses of that name */
    peg_view scratch[2]; /* for poses on the way */
    peg_vec3 *seen[2];   /* of a patch: the vertices along n, .. */
    int *near;           /* .. edges of B that could meet one of A's, .. */
    unsigned char *low;  /* .. vertices on the side that looks at the other piece */
    double (*on_the_way)[6]; /* nr: velocities that lead there */
    double gain_unit;        /* energy scale of the island, J */
    /* modes of the loop */
    int secant, clearance, elastic;
    int slips;              /* friction without limit yields a little */
    int regaining;          /* thin gaps grow, while contact loses more energy than that takes */
    int iteration;          /* of the outer loop */
    int hasty;              /* gives up where Newton's method takes long */
    int thorough;           /* fine sweeps do not end early */
    int tumbles;            /* bodies are faster than their weights make them in some steps */
    int rough;              /* solves by sweeps, accepted as soon as the poses are apart */
    int follows;            /* the last solve was about v_f, with the rows of `last` */
    unsigned char *stirred; /* nr: has other rows than in the iteration before */
    unsigned char *awake;   /* nr: whom impulses reach from what is awake */
    unsigned char *touched; /* nr: touches something at q_0 */
    int failed;             /* memory ran out */
    /* results of peg_outer */
    int recovering;     /* some pair overlapped at q_0 */
    int least;          /* the least violation is an answer: movers leave no room */
    double gain;        /* energy that contact added in the sub-steps taken so far, J */
    double (*v_end)[6]; /* nd: velocities after the step */
    double (
        *v_pose)[6]; /* nd: velocities that lead from the first q_0 to the last q_k in one step */
} peg_island;

/* --- kinematics.c: poses, views, energy --- */
void peg_rigid_prepare(peg_rigid *r, double h);
void peg_rigid_pose(const peg_rigid *r, const double v[6], double h, double x[3], double R[9]);
void peg_piece_place(const peg_piece *piece, const double x[3], const double R[9], peg_view *view);
void peg_island_move(peg_island *island); /* poses and views `now` of the iterate */
/* Upper bound of the relative motion of a pair's points over the step, m. */
double peg_pair_motion(const peg_island *island, const peg_pair *pair, const double (*v)[6]);
/* Kinetic energy at the end plus what the applied forces took out, minus the kinetic energy at the
 * start: what contact added, J. Exact for ODE's update, any orientation. */
double peg_island_gain(const peg_island *island);
/* The same with other velocities after the step than those that moved the poses. */
double peg_island_gain_with(const peg_island *island, const double (*v_end)[6]);
double peg_island_objective(const peg_island *island);
/* Of bodies that nothing else could take momentum from: their mean velocity; else 0. */
void peg_common_velocity(const peg_island *island, const double (*v)[6], double common[3]);
double peg_energy_product(const peg_rigid *r, const double *a, const double *b); /* a^T M b */
/* a^T M b, and the kinetic energy, turned as the iterate is. */
double peg_end_product(const peg_rigid *r, const double *a, const double *b);
double peg_end_energy(const peg_rigid *r, const double *v);

/* Inverse masses and inertias, the latter in the body frame (assemble.c); those of the start pose
 * in the world frame. */
void peg_island_set_masses(peg_island *island);
void peg_island_place_mass(peg_island *island);

/* --- joints.c --- */
/* Room for n rows of joints; 0: no memory. */
int peg_joints_allocate(peg_island *island, int n);
/* Adds a row of the scene; place[0], place[1]: where its bodies are. */
void peg_joints_add(peg_island *island, const peg_joint_row *row, int index,
                    const peg_joint_place place[2]);
/* The rows for a (sub-)step of I->h. */
void peg_joints_prepare(peg_island *island);
/* state.v_free: the solution without contacts; target where nothing solves it. */
void peg_joints_alone(peg_island *island);
/* Solves a problem whose last njoint rows are those of the joints; where they contradict each other
 * they yield. The last impulses of the joints are the start. PEG_LAGGED: friction lags. */
peg_outcome peg_joints_solve(peg_island *island, const peg_problem *problem, peg_lcp_row *row,
                             peg_solution *solution);
/* The last njoint rows and the start of their impulses. */
void peg_joints_fill(const peg_island *island, const peg_problem *problem, peg_lcp_row *row,
                     double *lambda);
/* After sweeps: the joints exactly, under the contacts' impulses as they are. */
peg_outcome peg_joints_polish(peg_island *island, const peg_problem *problem,
                              peg_solution *solution);
/* v -= M^-1 J^T lambda. */
void peg_joints_take_off(const peg_island *island, double (*v)[6]);
/* Work of the last impulses along v, J. */
double peg_joints_work(const peg_island *island, const double (*v)[6]);
/* For the solve of a bounce: rows that keep the velocities v as they are, without impulses so far.
 * Returns 0 without memory. *rows, *lambda: what peg_joints_release puts back. */
int peg_joints_hold(peg_island *island, const double (*v)[6], peg_lcp_row **rows, double **lambda);
void peg_joints_release(peg_island *island, peg_lcp_row *rows, double *lambda);
/* Takes the impulses of a (sub-)step that is taken. */
void peg_joints_take(peg_island *island);

/* --- pair.c: choice and change of the alternative --- */
void peg_pair_begin(peg_island *island, peg_pair *pair);
/* Hands the facet on to the next (sub-)step, which starts where the velocities v lead. */
void peg_pair_remember(const peg_island *island, peg_pair *pair);
/* A kinematic body that is not at rest. */
int peg_is_mover(const peg_body *body);
/* Whether it overlapped at q_0 and should not; by how much it may open in the step, m. */
int peg_pair_recovers(const peg_pair *pair);
double peg_pair_opening(const peg_island *island, const peg_pair *pair);
/* along: separation along the chosen direction at q_k, m. Returns the widest facet at q_k if it was
 * looked for, else one of kind NONE. */
peg_facet peg_pair_tilt(peg_island *island, peg_pair *pair, double along);
/* What the pair lacks at q_k of the gap it must keep to be accepted, m; <= 0: apart. Sets s. known:
 * the widest facet at q_k; null or of kind NONE: not known. */
double peg_pair_shortfall(peg_island *island, peg_pair *pair, const peg_facet *known);
int peg_pair_switch(peg_island *island, peg_pair *pair);
/* Takes the best facet at q_k among those that held at q_0. */
void peg_pair_name(peg_island *island, peg_pair *pair);
void peg_pair_lock(peg_island *island, peg_pair *pair);
void peg_pair_drop_traps(peg_island *island, peg_pair *pair);
/* Value at q_0 of the features of a facet seen at q_k. */
double peg_facet_at_start(const peg_island *island, const peg_pair *pair, const peg_facet *facet);

/* --- given.c: pairs whose contacts somebody else found --- */
void peg_given_begin(const peg_island *island, peg_pair *pair);
double peg_given_shortfall(const peg_island *island, peg_pair *pair);
void peg_given_rows(peg_island *island, int pair, const double (*u)[6], peg_row_set *out);
double peg_given_gap(const peg_island *island, const peg_pair *pair, int i);

/* --- patch.c: rows of a pair at the pose u (views `now`) --- */
/* Room for shapes of so many vertices, faces and edges; 0 without memory. */
int peg_patch_room(peg_island *island, int largest);
int peg_patch_rows(peg_island *island, int pair, const double (*u)[6], peg_row_set *out);
/* Rows of the chosen facet itself, within `lateral` L of the features. */
int peg_facet_rows(peg_island *island, int pair, const double (*u)[6], double lateral,
                   peg_row_set *out);

/* Gap of a normal row's features at q_k, m. */
double peg_row_gap(const peg_island *island, const peg_row *row);

/* --- row.c --- */
peg_row *peg_row_set_add(peg_island *island, peg_row_set *set);
int peg_row_same(const peg_row *a, const peg_row *b);
peg_row_memory peg_row_remembered(const peg_row *row);
/* Copies rows begin .. end - 1 of a set to the end of `to`, which may be the same. */
void peg_rows_append(peg_island *island, peg_row_set *to, const peg_row_set *from, int begin,
                     int end);
/* The normal row i with its friction rows. */
void peg_contact_append(peg_island *island, peg_row_set *to, const peg_row_set *from, int i);
/* Index of the next normal row after i. */
int peg_next_normal(const peg_row_set *set, int i);

/* --- friction.c --- */
/* Where and how two bodies rub: what friction rows need to know of a contact. */
typedef struct peg_rub {
    int ra, rb;       /* rigids */
    double normal[3]; /* into A */
    double mid_point[3];
} peg_rub;
/* Appends the friction rows of the normal row that was added last. */
void peg_friction_rows(peg_island *island, const peg_pair *pair, const double (*u)[6],
                       const peg_rub *rub, peg_row_set *out);
int peg_has_friction(const peg_surface *surface);

/* --- lever.c: Jacobians --- */
typedef struct peg_lever {
    double J[6];
    double Gu; /* J . u */
} peg_lever;
/* Force along sign n at the point of a body, exact for the pose of the iterate u. */
peg_lever peg_tangent_lever(const peg_island *island, int rigid, const double *u,
                            const double *point, const double *n, double sign);
/* The same between the start and the iterate. */
peg_lever peg_secant_lever(const peg_island *island, int rigid, const double *point,
                           const double *n, double sign, const double *u);
/* Splits G v into the unknown part (to J) and that of immovable bodies, whose velocity is given:
 * returns the latter. */
double peg_fold(const peg_island *island, int rigid, const peg_lever *lever, double *J);
/* Velocity of a body's point, taken half-way between the start and the iterate. */
void peg_point_velocity(const peg_island *island, int rigid, const double *u, const double *point,
                        double *out);

/* --- advance.c: first contact on the way --- */
/* What a pair meets on its way along t v, t in [0, 1]. */
typedef struct peg_passage {
    int hit;      /* it gets deeper than it may */
    double apart; /* last t before that at which it was separated */
    double deep;  /* t at which it was too deep */
} peg_passage;
/* Whether a pair moves so far along v that it could pass through each other unseen. */
int peg_pair_is_fast(const peg_island *island, const peg_pair *pair, const double (*v)[6]);
peg_passage peg_advance(peg_island *island, const peg_pair *pair, const double (*v)[6],
                        double depth);
/* Takes the pair's rows there into island->first. */
void peg_first_contact(peg_island *island, int pair, const peg_passage *passage,
                       const double (*v)[6]);

/* --- outer.c --- */
int peg_is_coarse(const peg_island *island);
/* Whether the bodies go on with v_main: what restored their poses is no part of the motion. */
int peg_goes_on_with_main(const peg_island *island);
typedef enum peg_result { PEG_CONVERGED, PEG_NOT_CONVERGED } peg_result;
peg_result peg_outer(peg_island *island);
/* Rows of the pairs at the start pose; first contacts of fast pairs. */
void peg_island_begin(peg_island *island);

/* --- solve.c of the island: island_solve.c --- */
typedef enum peg_about { PEG_ABOUT_FREE, PEG_ABOUT_ITERATE } peg_about;
/* Solves the rows about v_f (or v_k: restoration) and writes the velocities to v. On anything but
 * PEG_SOLVED nothing is written. */
peg_outcome peg_island_solve(peg_island *island, peg_about about);
/* Takes the impulses of the last solve into `impulse`: one about v_f starts the account anew, one
 * about v_k adds to it. */
void peg_island_book(peg_island *island, peg_about about);
/* Row `index` as that of the problem. */
void peg_fill_row(const peg_island *island, int index, peg_lcp_row *out);
/* The limit of its own that its friction has: only where the contact bears. */
double peg_row_limit(const peg_island *island, int index);
/* Friction that is limited by itself and not by the normal impulse acts only where there is one:
 * notes that the normal row starts from `lambda`, and afterwards whether its friction has to be
 * solved for. */
void peg_row_begin(const peg_island *island, peg_row *normal, double lambda);
void peg_row_end(peg_island *island, const peg_row *normal);
void peg_count_solve(peg_island *island, int rows);

/* --- warm_start.c --- */
/* lambda: one per row; those of rows that were kept, and for sweeps those of first contacts, stay
 * unwritten: row.main. Returns 0 without memory. */
int peg_warm_start(const peg_island *island, double *lambda);

/* --- sweep_island.c --- */
/* Writes the velocities and the rows' impulses. Uses up memory of the arena. */
peg_outcome peg_island_sweep(peg_island *island, peg_about about);

/* --- impact.c --- */
/* Velocities after the step, to v_end: v, but without what opened a starting overlap, and with
 * bounce. */
void peg_end_velocities(peg_island *island);

/* --- standard.c, paper.c, lnc.c, ap.c: the models of the papers --- */
/* They always "converge": what they leave is what they are measured for. */
peg_result peg_standard(peg_island *island);
peg_result peg_paper(peg_island *island);
peg_result peg_lnc(peg_island *island);
peg_result peg_anitescu_potra(peg_island *island);

/* --- fallback.c --- */
/* The whole step of an island, fallbacks included: results in v_pose and v_end, impulses in
 * impulse. The rigids' states are those of the last sub-step. */
void peg_island_step(peg_island *island);

#endif
