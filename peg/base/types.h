/* Status codes, settings and statistics: what the module says of itself, in plain C.
 * The installed header ode-peg.h carries this file whole. */
#ifndef PEG_TYPES_H
#define PEG_TYPES_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Result of a call. Every status but PEG_OK and PEG_STATE_INCOMPLETE leaves the caller's
 * data unchanged. */
typedef enum pegStatus {
    PEG_OK = 0,
    PEG_ERROR_ARGUMENT,              /* null pointer, or a value that the call does not accept */
    PEG_ERROR_SETTINGS,              /* a setting is out of range */
    PEG_ERROR_STEP_SIZE,             /* h lies outside of 1e-20 to 1e10 s */
    PEG_ERROR_NOT_FINITE,            /* NaN or infinity in a pose, velocity, force or shape */
    PEG_ERROR_SHAPE_EMPTY,           /* the points span no volume */
    PEG_ERROR_SHAPE_OPEN,            /* the polygons do not enclose a volume */
    PEG_ERROR_SHAPE_CONCAVE,         /* a point lies outside a face plane */
    PEG_ERROR_CONVEX_NOT_REGISTERED, /* a convex geom whose arrays were never registered */
    PEG_ERROR_GEOM_CLASS,            /* a geom of a class without exact contacts */
    PEG_ERROR_MASS,                  /* mass or inertia is not positive */
    PEG_ERROR_MEMORY,                /* out of memory; nothing was changed */
    PEG_ERROR_SOLVER,                /* no solver found an answer that passes the residual check */
    PEG_ERROR_FILE,                  /* a file could not be read or written */
    PEG_ERROR_SHAPE_SIZE,            /* a size below 1e-60 m or above 1e60 m */
    PEG_ERROR_SHAPE_FACES,           /* fewer than four points or polygons */
    PEG_ERROR_SHAPE_INDEX,           /* a polygon names a point that does not exist */
    PEG_ERROR_SHAPE_REVERSED,        /* the polygons are clockwise seen from outside */
    PEG_ERROR_SHAPE_PLANE,           /* a plane contains no polygon, or points inwards */
    PEG_ERROR_SURFACE,               /* a parameter of a surface is out of range */
    PEG_ERROR_WORLD,                 /* the ODE world has a peg world already */
    PEG_ERROR_STATE,                 /* a buffer that holds no state of this world */
    PEG_STATE_INCOMPLETE, /* done, but for what ODE does not tell: see pegWorldSaveState */
    PEG_ERROR_RADIUS,     /* a radius about a heightfield that has ODE's contacts */
    PEG_ERROR_CALLBACK,   /* the near callback changed a body during the step */
    PEG_STATUS_COUNT,
    PEG_ERROR_SHAPE_UNKNOWN = PEG_ERROR_CONVEX_NOT_REGISTERED /* former name */
} pegStatus;

/* How much a message matters. */
typedef enum pegSeverity {
    PEG_SEVERITY_NOTE = 0, /* something is ignored or assumed, without harm to the contacts */
    PEG_SEVERITY_WARNING, /* the simulation is not what the program asked for, or bodies may overlap
                           */
    PEG_SEVERITY_ERROR    /* a call failed */
} pegSeverity;

/* Contact model of a world. */
typedef enum pegContactModel {
    PEG_CONTACT_PEG = 0, /* exact: one disjunction per pair, re-linearised until it holds */
    /* the models of the papers, linearised once, at the start of the step: */
    PEG_CONTACT_ST,    /* Stewart-Trinkle: every nearby feature is a half-space */
    PEG_CONTACT_PAPER, /* polyhedral exact geometry as published: U, I and X constraints */
    PEG_CONTACT_LNC,   /* Nguyen's locally non-convex model: the same without X */
    PEG_CONTACT_AP,    /* Anitescu-Potra: Stewart-Trinkle without the gap term */
    PEG_CONTACT_LP,    /* Johnson-Ortiz-Leyendecker: signed separation by linear programs */
    PEG_CONTACT_RATIO, /* Anitescu-Hart: ratio metric, constraint-stabilised time stepping */
    PEG_CONTACT_COUNT
} pegContactModel;

/* Solver of the mixed LCPs of an island. */
typedef enum pegSolver {
    PEG_SOLVER_AUTO = 0,  /* PEG_CONTACT_PEG: projected Gauss-Seidel (PGS) for active islands of
                             five bodies and more, else as PROJECTED, then Lemke if the answer fails
                             the residual check; the papers' models: Lemke */
    PEG_SOLVER_PROJECTED, /* projected methods: Newton on the augmented Lagrangian, or an active
                             set */
    PEG_SOLVER_LEMKE,     /* Lemke's pivoting */
    PEG_SOLVER_COUNT
} pegSolver;

/* What becomes of surfaces with dContactSoftERP or dContactSoftCFM. Most programs set them to hide
 * the jitter of ODE's contacts, some because they mean a spring: a tyre, a suspension. A spring is
 * told by the natural frequency w = sqrt(k / m) of the contact, k = erp / (cfm h) and m the reduced
 * mass of the two bodies: if w h >= 0.5 rad, less than 13 steps an oscillation, the step cannot
 * resolve it, ODE's own integration damps it away, and nobody can have meant it as a spring. */
typedef enum pegSoftContacts {
    PEG_SOFT_RIGID = 0, /* all contacts are rigid */
    PEG_SOFT_BELOW,     /* compliant below w h = 0.5, else rigid */
    PEG_SOFT_KEEP       /* all compliant, as in ODE: bodies overlap */
} pegSoftContacts;

/* What nodes of the tree of a mesh are held against. Contacts are the same. */
typedef enum pegMeshSearch {
    PEG_MESH_SEARCH_BOUNDS = 0, /* the faces of the other part, its radius, cones of normals */
    PEG_MESH_SEARCH_BOXES,      /* the box about it alone */
    PEG_MESH_SEARCH_ALL,        /* nothing: every triangle is looked at */
    PEG_MESH_SEARCH_COUNT
} pegMeshSearch;

/* Who tells which pairs of parts are far, and where the search for the widest facet of the others
 * starts. The widest facet has the same bits from every start. Steps may differ in bits, because
 * pairs are told to be far by other directions, and libccd misses some. */
typedef enum pegNarrowPhase {
    PEG_NARROW_PHASE_LIBCCD = 0, /* libccd; at the facet that its MPR finds, if the parts have so
                                    many vertices that this is worth its time */
    PEG_NARROW_PHASE_OWN,        /* the widest facet; anywhere */
    PEG_NARROW_PHASE_COUNT
} pegNarrowPhase;

/* Settings of a world. pegSettingsDefault fills in the values in brackets. Lengths are relative to
 * the size L of the smaller geom of a pair (radius of its bounding sphere), so that no setting
 * depends on the unit of length. Former names stand second in a union. */
typedef struct pegSettings {
    pegContactModel contact; /* [PEG_CONTACT_PEG] */
    pegSolver solver;        /* [PEG_SOLVER_AUTO] */
    double margin;           /* delta / L, separation kept between touching geoms [1e-5], in
                                (1e-7, 1e-2). A step is accepted with separations of at least 1e-3
                                of it */
    union {
        double max_depenetration_speed; /* m/s, cap of the speed of penetration recovery; 0: one L
                                           per second [0], >= 0 */
        double recovery_speed;
    };
    int friction_directions; /* sides of the friction cone: 4, 8 or 16 [4]; 0: the pyramid of ODE's
                                dContactApprox1 for all surfaces */
    union {
        int max_outer_iterations; /* linearisations of an island in a step [40], 5..200 */
        int max_outer;
    };
    int max_halvings; /* ignored: steps are not halved any more [4], 0..10 */
    int warm_start;   /* keep separating directions and impulses between steps [1], 0 or 1 */
    double reach; /* epsilon / L of the papers' models: features nearer than this make constraints
                     at any speed; ignored by PEG_CONTACT_PEG [0], in [0, 10] */
    int paper_primaries; /* contacts of an I-constraint that may carry an impulse: 1: the one that a
                            heuristic chooses [W 24], 0: all feasible ones [W 20-23] [1] */
    /* of the models of [W] and [F]: */
    double paper_psi_minimum; /* psi_minimum / L: half-spaces that are violated deeper take no
                                 impulse, infinite: all do, >= 0 [0: .1, in PEG_CONTACT_ST and
                                 PEG_CONTACT_AP the reach if that is more] */
    double paper_sin_theta;   /* sine of the relaxation angle of applicability, to which the turn of
                                 the step is added [.1], in [0, 1] */
    double paper_tan_phi;     /* tangent of the relaxation angle of feasibility [1], >= 0 */
    double paper_edges;       /* [W 36]: of the edges e at a vertex those count whose |e . O| is at
                                 least this share of the largest [0: all], in [0, 1] */
    int paper_fallback;       /* where a step's problem has no answer: 1: it is made with as few
                                 violations as there must be, and counted as unconverged; 0: it
                                 fails with PEG_ERROR_SOLVER, as published [1], 0 or 1 */
    /* of PEG_CONTACT_LP: */
    double lp_stiffness; /* C, N/m: > 0: the potential C/2 max(0, -s)^2 of the signed separation s
                            instead of constraints, frictionless, by velocity Verlet [0], >= 0 */
    /* of PEG_CONTACT_RATIO: */
    double ratio_gamma; /* share of the gap's violation that a step corrects [1], in [0, 1]; 0: gaps
                           close and overlap stays. Above 0 it is the ERP of joints, too */
    double ratio_eps;   /* pairs whose ratio metric is below this are active, and contact units
                           that are less below their pair [0: max(.05, 2 h V/d), V their relative
                           speed, d the sum of their inner radii], >= 0 */
    double ratio_band;  /* distance / L from a part at which contact units are still active [.1], in
                           (0, 10] */
    int ratio_traps;    /* 1: keep violated contact units of pairs that are apart, as published
                           [0], 0 or 1 */
    int ratio_gradient; /* 1: the gradient of the component function, as published; 0: that of the
                           gap [1], 0 or 1 */
    int ratio_adjacent; /* 1: contact units beside the active faces of the linear program [0], 0 or
                           1 */
    int ratio_passes;   /* solves at most until friction has settled [50], 1..50; 1: Anitescu's
                           relaxation, which lifts sliding bodies off */
    int threads; /* that solve islands in parallel [1], 1..64. Results are bitwise equal for any
                    number. Worker threads start with the first step of two islands and end with
                    the world; callbacks run on the thread that steps */
    pegSoftContacts soft_contacts; /* [PEG_SOFT_BELOW] */
    pegNarrowPhase narrow_phase;   /* [PEG_NARROW_PHASE_LIBCCD] */
    pegMeshSearch mesh_search;     /* [PEG_MESH_SEARCH_BOUNDS] */
    double
        relative_rotation; /* rad: features are in contact that are a local minimum of the distance
                              after a relative rotation of up to this [.05], in [1e-6, .3] */
} pegSettings;

/* Statistics of one step (pegWorldGetStats) or of all steps (pegWorldGetTotals: sums, and maxima of
 * maxima). Former names stand second in a union. */
typedef struct pegStats {
    long steps;        /* steps made */
    long unconverged;  /* steps with an island whose velocities hold only roughly: a row changed, in
                          the last iteration, by more than 1e-2 of what applied forces make of a
                          body's speed in the step (or 1e-3 of the bodies' speed, if that is more).
                          Of other contact models than PEG_CONTACT_PEG: accepted without certified
                          separation, bodies may overlap */
    long budget_ended; /* other steps with an island whose velocities were not found to the
                          tolerance within the iterations there are */
    long bodies, pairs; /* dynamic bodies; candidate pairs (of the last step) */
    long islands;       /* islands with at least one pair */
    union {
        long resting_islands; /* of these: at rest and unchanged since the last step, whose result
                                 is used again */
        long repeated;
    };
    long rows, rows_max; /* constraint rows summed over the solves; largest problem */
    union {
        long outer_iterations; /* linearisations, summed over the islands */
        long outer;
    };
    union {
        long outer_iterations_max; /* of one island */
        long outer_max;
    };
    long solves;       /* mixed LCPs solved */
    long lemke_solves; /* of these: by Lemke's method */
    union {
        long pgs_solves; /* of these: of active islands, by projected Gauss-Seidel (PGS) */
        long swept;
    };
    long wide_islands;       /* moving islands of many bodies, solved eight pairs at a time: */
    long shared_meetings;    /* how often threads that share one waited for each other, .. */
    long shared_visits;      /* .. how many visits of eight contacts they made, .. */
    long shared_visits_most; /* .. and, between two meetings, the thread that made most */
    long mesh_nodes;         /* nodes of trees of meshes visited */
    union {
        long pgs_iterations; /* PGS iterations */
        long sweeps;
    };
    union {
        long friction_unconverged; /* solves whose friction lies in its cone but is not opposite to
                                      the sliding velocity within the tolerance, or in that of
                                      normal impulses which change the velocities by up to 0.2 % */
        long friction_lagged;
    };
    union {
        long joints_relaxed; /* solves repeated with compliant joints, or with joints that keep
                                their errors: joint constraints contradict each other or contacts */
        long joints_yielded;
    };
    union {
        long joints_unconverged; /* solves of joints alone that failed the residual check */
        long joints_lagged;
    };
    long joints_failed; /* of these: without an answer */
    long first_contact; /* rows linearised at the pose of first contact */
    long tilts;         /* separating directions tilted to a better facet */
    long switches;      /* separating facets switched */
    long locks;         /* pairs restricted to the facets that separated them at the start */
    long secant, dropped_traps; /* always 0 */
    long recovered;             /* pairs that started with penetration */
    union {
        long infeasible_islands; /* islands without a feasible motion (squeezed between kinematic
                                    bodies), which ended with the least violation */
        long squeezed;
    };
    long traps; /* I-constraints of the papers' models that mattered: at the end of the step a
                   half-space is violated that the standard model would have held, although the
                   features are apart */
    /* of PEG_CONTACT_LP and PEG_CONTACT_RATIO: */
    long linear_programs;          /* of the gap functions */
    long contact_units;            /* active basic contact units */
    long contact_unit_sets_differ; /* pairs with other units than by all feature pairs
                                      (settings.ratio_adjacent) */
    long friction_islands;         /* islands with friction, ... */
    long sliding_islands;          /* ... those of them that took more than one solve, ... */
    long friction_passes;          /* ... and the solves of all of them */
    long potential_too_stiff;      /* contacts for which the step is longer than
                                      .3 sqrt(m_eff / C) */
    double infeasibility_max;      /* largest -rho of a pair at the start of a step */
    /* fallbacks in their order; each is counted by itself */
    long fallback_clearance; /* (a) clearances below the margin */
    long fallback_elastic;   /* (b) least violation */
    long position_stages;    /* (c) steps of islands whose velocities were found to a tolerance, and
                                whose positions by a projection */
    long limited_islands;    /* of these: ended with limited bodies */
    long limited_bodies;     /* bodies whose motion was limited in a step, summed over the steps:
                                merged into a rigid zone with another one, or moved by a share of
                                their motion */
    long frozen_islands;     /* of the limited islands: nothing moved although something should */
    long energy_returned;    /* islands whose velocities were scaled down by what an inexact solve
                                had gained */
    long fallback_halved, fallback_plane, fallback_scaled; /* always 0 */
    size_t memory; /* bytes held for contacts after the step; with several threads it depends on
                      which thread solved which island */
    double cone_violation_max; /* largest excess of a friction impulse over its bound, relative to
                                  the bound */
    double friction_residual_max; /* largest residual of the solves of friction_unconverged */
    union {
        double pgs_residual_max; /* largest change of the last PGS iteration of a solve, relative to
                                    the root of the kinetic energy */
        double swept_residual_max;
    };
    double residual_max; /* largest residual of the other solves, relative to their rows, m/s */
    union {
        double min_separation; /* m, lower bound of the smallest separation of a pair at the end of
                                  a step; infinite without pairs */
        double gap_min;
    };
    union {
        double max_penetration; /* m, largest penetration depth at the end of a step */
        double violation_max;
    };
    double energy_gain_max; /* J, largest increase of mechanical energy by contact in a step */
    long soft_contacts; /* pairs with compliant contacts (soft_erp, soft_cfm), which may overlap */
    /* s, summed over threads; time_pairs: broad phase and swept search */
    double time_pairs, time_rows, time_solve, time_check, time_ode;
} pegStats;

#ifdef __cplusplus
}
#endif
#endif
