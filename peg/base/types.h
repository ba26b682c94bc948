/* Status codes, settings and statistics: what the module says of itself, in plain C.
 * The installed header ode-peg.h carries this file whole. */
#ifndef PEG_TYPES_H
#define PEG_TYPES_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a call came to. Everything but PEG_OK leaves the caller's data as it was. */
typedef enum pegStatus {
    PEG_OK = 0,
    PEG_ERROR_ARGUMENT,      /* null pointer, unknown option */
    PEG_ERROR_SETTINGS,      /* a setting outside its range */
    PEG_ERROR_STEP_SIZE,     /* h is not a positive finite number */
    PEG_ERROR_NOT_FINITE,    /* NaN or infinity in a pose, velocity, force or shape */
    PEG_ERROR_SHAPE_EMPTY,   /* fewer than four points, or all in one plane: no volume */
    PEG_ERROR_SHAPE_OPEN,    /* the polygons do not close around a volume */
    PEG_ERROR_SHAPE_CONCAVE, /* a point lies outside of one of the face planes */
    PEG_ERROR_SHAPE_UNKNOWN, /* a convex geom whose arrays were never registered */
    PEG_ERROR_GEOM_CLASS,    /* a geom of a class without exact contacts */
    PEG_ERROR_MASS,          /* mass or inertia is not positive */
    PEG_ERROR_MEMORY,        /* out of memory: nothing was changed */
    PEG_ERROR_SOLVER,        /* no solver certified an answer of the problem */
    PEG_ERROR_FILE,          /* a file could not be read or written */
    PEG_STATUS_COUNT
} pegStatus;

/* Contact model of a world. */
typedef enum pegContactModel {
    PEG_CONTACT_PEG = 0, /* exact: one disjunction per pair, re-linearised until it holds */
    /* the models of the papers, with one linearisation at the start of the step: */
    PEG_CONTACT_ST,    /* Stewart-Trinkle: every near feature is a half-space */
    PEG_CONTACT_PAPER, /* polyhedral exact geometry as published: U, I and X constraints */
    PEG_CONTACT_LNC,   /* Nguyen's locally non-convex model: the same without X */
    PEG_CONTACT_AP,    /* Anitescu-Potra: Stewart-Trinkle without the gap term */
    PEG_CONTACT_COUNT
} pegContactModel;

/* Solver of the islands' mixed LCPs. */
typedef enum pegSolver {
    PEG_SOLVER_AUTO = 0, /* projected, then Lemke if its answer cannot be certified; the papers'
                            models: Lemke */
    PEG_SOLVER_PROJECTED,
    PEG_SOLVER_LEMKE,
    PEG_SOLVER_COUNT
} pegSolver;

/* Settings of a world; pegSettingsDefault fills in the values in brackets. Lengths are relative to
 * the size L of the smaller part of a pair (radius of its bounding sphere), so that no setting
 * depends on the unit of length. */
typedef struct pegSettings {
    pegContactModel contact; /* [PEG_CONTACT_PEG] */
    pegSolver solver;        /* [PEG_SOLVER_AUTO] */
    double margin;         /* delta / L, gap kept between touching parts [1e-5], in (1e-7, 1e-2) */
    double recovery_speed; /* m/s, cap of the speed at which a starting overlap opens; 0 means
                              one L per second [0], >= 0 */
    int friction_directions; /* of the polyhedral friction cone: 4, 8 or 16 [4]; 0: the pyramid of
                                ODE's dContactApprox1 also where one coefficient is given */
    int max_outer;           /* bound on the outer iterations of a step [40], 5..200 */
    int max_halvings; /* levels of step halving when an island does not converge [4], 0..10 */
    int warm_start;   /* keep directions and impulses between steps [1], 0 or 1 */
    double reach; /* epsilon / L of the papers' models: features this near make constraints however
                     slow they are; without effect on PEG_CONTACT_PEG [0], in [0, 10] */
    int paper_primaries; /* contacts of an I-constraint that may carry an impulse: 1: the one that a
                            heuristic chooses [W 24], 0: all feasible ones [W 20-23] [1] */
    int threads; /* that solve islands side by side; the results are the same bits for any number
                    [1], 1..64. Further threads start at the first step with two islands and end
                    with the world; callbacks are called on the thread that steps alone */
} pegSettings;

/* Counts and figures of one step (pegWorldGetStats) or summed over steps (maxima stay maxima). */
typedef struct pegStats {
    long steps;            /* steps made */
    long unconverged;      /* steps accepted without a certificate */
    long bodies, pairs;    /* dynamic bodies; pairs that had a disjunction (of the last step) */
    long islands;          /* islands with at least one pair */
    long repeated;         /* of these: at rest, and nothing has changed since the step before,
                              whose result is taken over */
    long rows, rows_max;   /* rows summed over the solves; largest problem */
    long outer, outer_max; /* outer iterations, summed over the islands; largest of one island */
    long solves;           /* mixed LCPs solved */
    long lemke_solves;     /* of these: by Lemke */
    long swept, sweeps;    /* of these: of tumbling islands, by sweeps; sweeps made */
    long friction_lagged;  /* solves whose friction lies in its cone but does not oppose sliding as
                              it should: no certificate of the friction */
    long joints_yielded;   /* solves repeated with compliant joints: loops of joints that contradict
                              each other, or contacts that are in their way */
    long joints_lagged;    /* solves of joints alone without a certificate */
    long joints_failed;    /* of these: without an answer */
    long first_contact;    /* rows taken at the pose of first contact */
    long tilts;            /* directions tilted to a better facet */
    long switches;         /* facets switched: a constraint that was a trap */
    long locks;            /* pairs locked to the facets that held at the start */
    long secant;           /* islands that needed secant rows */
    long dropped_traps;    /* pairs whose rows behind the start were dropped */
    long recovered;        /* pairs that started with an overlap */
    long squeezed;         /* islands that ended with the least violation: movers left no room */
    long traps; /* I-constraints of the papers' models that mattered: at the end of the step a
                   half-space is violated that the standard model would have held, although the
                   features are apart */
    /* fallbacks, in their order, each counted by itself */
    long fallback_clearance; /* (a) clearances below the margin */
    long fallback_elastic;   /* (b) least violation */
    long fallback_halved;    /* (c) islands stepped in halves */
    long fallback_plane;     /* (d) separating-plane form: not built, always 0 */
    long fallback_scaled;    /* (e) velocity scaled back */
    size_t memory; /* bytes that the arenas and arrays of the contacts hold after the step; with
                      several threads it depends on which of them solved what */
    double cone_violation_max; /* largest excess of a friction impulse over its bound, relative to
                                  the bound */
    double friction_residual_max; /* the same residual of solves with friction_lagged */
    double swept_residual_max; /* of solves by sweeps, as their last sweep changed it, relative to
                                  the root of the bodies' kinetic energy */
    double residual_max;    /* largest certified residual of a solve, relative to its rows, m/s */
    double gap_min;         /* bound of the smallest separation of a pair at the end of a step: no
                               pair is nearer than that, as far as was to be known, m */
    double violation_max;   /* largest overlap depth left at the end of a step, m */
    double energy_gain_max; /* largest gain of mechanical energy in a step by contact, J */
    /* s, summed over threads; pairs: also those that the found motion could meet */
    double time_pairs, time_rows, time_solve, time_check, time_ode;
} pegStats;

#ifdef __cplusplus
}
#endif
#endif
