/* What the stages of the wide attempt share. */
#ifndef PEG_WIDE_STATE_H
#define PEG_WIDE_STATE_H

#include "peg/contact/island.h"
#include "peg/contact/patch_box.h"
#include "peg/island/wide_attempt.h"
#include "peg/lcp/wide_pgs.h"

/* Where the pieces of a pair are. */
typedef enum peg_wide_time {
    PEG_WIDE_START,   /* q_0 */
    PEG_WIDE_NOW,     /* the iterate */
    PEG_WIDE_BETWEEN, /* on the way there */
    PEG_WIDE_TIMES
} peg_wide_time;

/* How a pair is searched: two boxes, or a box and a half-space, in lanes; other polytopes with
 * sharp edges by their facets; all others as by the other attempts. */
typedef enum peg_wide_search {
    PEG_WIDE_BOXES,
    PEG_WIDE_PLANE_A, /* A is the half-space */
    PEG_WIDE_PLANE_B,
    PEG_WIDE_FACETS,
    PEG_WIDE_VIEWS
} peg_wide_search;

/* What holds a pair that has met without a contact (wide_held.c). */
typedef enum peg_wide_holder {
    PEG_WIDE_FREE,
    PEG_WIDE_AT_START, /* its features at q_0, in the rows of the velocities alone: triangles */
    PEG_WIDE_BY_FACE,  /* its axis or facet stays; of pairs searched by views the direction */
    PEG_WIDE_BY_SIDE /* no face parts it at q_0: edges there, later what parts most on their side */
} peg_wide_holder;

static inline int peg_wide_in_lanes(int search)
{
    return search <= PEG_WIDE_PLANE_B;
}

/* Friction of a contact with a limit of its own. */
typedef enum peg_wide_friction {
    PEG_WIDE_IDLE,
    PEG_WIDE_ACTS,
    PEG_WIDE_SLIPS /* it has opened the contact in this step, and acts no more */
} peg_wide_friction;

/* What loops over pairs and contacts need of a piece and of a pair: so little that those of a
 * thousand bodies stay in the cache. */
typedef struct peg_wide_piece {
    int rigid;
    int is_box, is_plane; /* a box with sharp edges, a half-space */
    double turning;       /* of its points in the motion that is looked at, m/s */
} peg_wide_piece;

/* As in peg_pair, which has s0, s and reach again when the attempt ends. */
typedef struct peg_wide_pair {
    int a, b;
    int has_start; /* its axis or facet at q_0 is known */
    int is_soft;   /* it may overlap: its contacts are springs */
    double s0, s, L, margin, reach;
    double fast; /* a motion that is fast, m; of pairs searched by views: see peg_pair_is_fast */
} peg_wide_pair;

/* Vertices of a box, and a name for each two of them, v < w: PEG_BOX_VERTICES v + w. */
enum { PEG_BOX_VERTICES = 8, PEG_BOX_EDGES = 12 };

/* All boxes number their edges in the same way. */
typedef struct peg_wide_edges {
    int v[PEG_BOX_EDGES][2], name[PEG_BOX_EDGES];
    int of_name[PEG_BOX_VERTICES * PEG_BOX_VERTICES];
} peg_wide_edges;

/* The features of a contact, and what friction has carried over. */
typedef struct peg_wide_feature {
    int pair;
    peg_feature_kind kind; /* with i and j as in peg_row */
    int i, j;
    double gap;              /* m */
    peg_vec3 point;          /* world, m */
    peg_vec3 before, rolled; /* friction of the same features in the step before, N s, N m s */
    double prescribed[3];    /* as in peg_row, along n, t, n x t, m/s */
} peg_wide_feature;

/* A pair whose contacts are looked for. */
typedef struct peg_wide_visit {
    int pair;
    int corners;      /* of its axis or facet make contacts, wherever the parts are beside it */
    double reach;     /* of features that make contacts, m; -INFINITY: of none */
    int first, count; /* contacts, that make patches */
    int row;          /* of a pair searched by views: its first one in `rows` */
} peg_wide_visit;

typedef struct peg_wide {
    peg_island *I;
    int bounces;           /* a surface does */
    int is_driven;         /* an obstacle or a surface moves, or springs push */
    int is_small;          /* of so few bodies that problems are solved to the certificate */
    int is_coarse;         /* of so many that PGS ends early, or no other attempt is left */
    peg_mass_root *root;   /* nd */
    peg_vec6 *free;        /* nr: velocities without contact; of obstacles: theirs */
    peg_wide_piece *piece; /* npiece */
    peg_wide_edges edges;
    peg_box *box[PEG_WIDE_TIMES]; /* npiece each */
    peg_wide_pair *pair;          /* npair */
    peg_box_axis *axis;           /* npair */
    unsigned char *search;        /* npair: peg_wide_search */
    unsigned char *has_view;      /* npiece: of a pair not in lanes: its views are placed, .. */
    unsigned char *has_free;      /* .. of one that peg_pair_begin is called for: at q(v_f), too */
    peg_row_set rows;             /* of pairs searched by views: features only */
    int *list;                    /* npair: room for a choice of them */
    unsigned char *checked;       /* npair: s is that of the iterate, and no bound */
    int *unchecked;               /* npair: room for those that are not */
    int *violated, violations;    /* npair: those that are violated at the iterate */
    unsigned char *held;          /* npair: peg_wide_holder */
    unsigned char *met; /* npair: of a small island, without a contact in a motion that was
                           found: all of what it could close has rows */
    peg_vec3 *side;     /* npair: the direction of a held pair searched by views */
    double speed;       /* mean of v_f, by mass, m/s */
    double gap;         /* that contacts keep, in margins */
    double margin;      /* least one of a pair, m */
    peg_reserve reserve;
    /* the problem */
    peg_wide_time time; /* of the poses that contacts are looked for at */
    peg_wide_visit *visit;
    peg_patch *found; /* by visit */
    int visits, visit_room;
    int *number; /* nr: of the body in the problem; -1: does not move in it */
    peg_wide_contact *contact;
    peg_wide_feature *feature;
    peg_wide_further *further; /* furthers of each contact */
    int furthers;
    peg_wide_contact *begun; /* contacts: as they were found */
    unsigned char *friction; /* contacts: peg_wide_friction */
    int contacts, room;
    peg_wide_patch *patch;
    int patches, patch_room;
    int *load_of; /* load_room: by contact, their places among the loads of the island */
    int load_room;
    /* restoration */
    int *first, *around;         /* nr + 1, 2 npair: pairs of each body */
    double *push, *push_before;  /* nd: how far the body may be pushed, m; -1: it is not */
    unsigned char *moved;        /* nr: by the last restoration */
    unsigned char *chosen;       /* npair */
    int *member, members;        /* nd: bodies of the problem */
    peg_mass_root *member_root;  /* nd */
    peg_mass_block *member_mass; /* nd */
    int *joined;                 /* nd: the least body that joints connect it with */
    double *joined_push;         /* nd: of these, by the least one */
    peg_lcp_row *joint;          /* joints: their rows */
    double *joint_lambda;        /* joints */
    peg_vec6 *zero, *shift;      /* nd: by number */
} peg_wide;

/* What a pair must keep, m; of a soft one: below which its separation is found. */
static inline double peg_wide_floor(const peg_wide_pair *pair)
{
    return PEG_FLOOR * pair->margin;
}

/* At the iterate. */
static inline int peg_wide_is_close(const peg_wide *w, int pair)
{
    return !(w->pair[pair].s >= peg_wide_floor(&w->pair[pair]));
}

static inline int peg_wide_is_violated(const peg_wide *w, int pair)
{
    return peg_wide_is_close(w, pair) && !w->pair[pair].is_soft;
}

/* Whether the separation of a pair is that of what holds it: in positions, too, but of small
 * islands; on the way it is that by any direction. */
static inline int peg_wide_is_held(const peg_wide *w, int pair, peg_wide_time time)
{
    if (time == PEG_WIDE_START) return w->held[pair] != PEG_WIDE_FREE;
    return time == PEG_WIDE_NOW && w->held[pair] > PEG_WIDE_AT_START && !w->is_small;
}

/* --- wide_pieces.c --- */

/* Allocates, and places the pieces at q_0. Returns 0 without memory. */
int peg_wide_start_pieces(peg_wide *w);
/* The pose of a body of the iterate; the pieces of bodies that were moved; those of all, and all
 * bodies; the views that no pair of the attempt has read. */
void peg_wide_place_body(peg_wide *w, int body);
void peg_wide_place_moved(peg_wide *w, const unsigned char *moved);
void peg_wide_place_all(peg_wide *w);
void peg_wide_place_other_views(peg_wide *w);
/* The speeds of the pieces' points by the turning of their bodies with v. */
void peg_wide_find_turning(peg_wide *w, const peg_vec6 *v);
/* As peg_pair_motion with the turning that was found. */
double peg_wide_motion(const peg_wide *w, const peg_wide_pair *pair, const peg_vec6 *v);
/* Of n listed pairs: s, and the axis or facet, at the start also s0. Pairs with facets that are
 * farther apart than p->reach then, or than the floor later, may have less than their largest s.
 * edge_bias: in L, as in box_box.h. */
void peg_wide_separate(peg_wide *w, peg_wide_time time, const int *list, int n, double edge_bias);
/* The box of a piece whose body has this pose. */
void peg_wide_place_box(const peg_piece *piece, const double *x, const double *R, peg_box *box);

/* --- wide_held.c --- */

/* Holds a pair by what parts it last: w->held. Its separation is not known after it. */
void peg_wide_hold(peg_wide *w, int pair);
/* s of a pair of boxes, or of one with facets, along what holds it. */
void peg_wide_separate_held_boxes(peg_wide *w, peg_wide_time time, int pair);
void peg_wide_separate_held_facets(peg_wide *w, peg_wide_time time, int pair);
/* The same, at the iterate, of one that is searched by views: along its direction (kind NONE) or
 * the facet on the side of it that parts them more. */
void peg_wide_separate_held_views(peg_wide *w, int pair);

/* --- wide_meetings.c --- */

/* Hold pairs that had no contact at the start and are deep in each other at the iterate, whose
 * violated pairs are known, or that passed through each other on the way there. Return how many
 * there are; fresh: how many of them were not held before. */
int peg_wide_hold_meetings(peg_wide *w);
int peg_wide_hold_passes(peg_wide *w, int *fresh);

/* --- wide_contacts.c --- */

/* Room for so many visits; 0 without memory. */
int peg_wide_reserve_visits(peg_wide *w, int n);
/* Finds the contacts of all visits at the poses of a time. `finish` is told of each pair's own
 * ones, on any thread. Returns 0 without memory. */
int peg_wide_find_contacts(peg_wide *w, peg_wide_time time,
                           void (*finish)(peg_wide *w, const peg_wide_visit *visit));
/* Of the contacts of a visit: their friction, and the impulses of the same features in the step
 * before; what is left of these goes to the nearest contact. */
void peg_wide_warm_start(peg_wide *w, const peg_wide_visit *visit);
/* The contacts that bear, to the island; 0 without memory. */
int peg_wide_take_loads(peg_wide *w);
/* Their gaps at the poses of the iterate; that of a contact. */
void peg_wide_find_end_gaps(peg_wide *w);
double peg_wide_end_gap(const peg_wide *w, int contact);
/* Adds what the threads have done to the counters. */
void peg_wide_count(peg_wide *w, const peg_wide_result *result);

/* --- wide_friction.c --- */

/* Further rows of a contact with this surface. */
int peg_wide_count_furthers(const peg_island *island, const peg_surface *surface);
/* The friction of a contact and its axes, with the compliance of its rows. Returns the share of the
 * friction of the step before, along it, that each row along a direction has. */
double peg_wide_set_friction(peg_wide *w, int contact);
/* Sets what is prescribed in a contact whose friction is set. */
void peg_wide_prescribe(peg_wide *w, int contact);
/* How far a contact's spring pushes its bodies apart in the step, m. */
double peg_wide_pushed(const peg_wide *w, int contact);

static inline peg_wide_further *peg_wide_further_of(const peg_wide *w, int contact, int i)
{
    return &w->further[contact * w->furthers + i];
}

/* --- wide_lcp.c --- */

/* Solves the contacts, and the joints, for nb bodies of a problem with these masses to the
 * certificate. v: the answer. Friction with limits of its own acts where w->friction says. Returns
 * 0, and leaves v and the impulses as they are, if no answer is found, rows are more than the
 * Delassus solver takes, for which other methods fail as often as not, or memory is exhausted. */
int peg_wide_solve_exact(peg_wide *w, const peg_wide_problem *problem, const peg_mass_block *mass,
                         peg_vec6 *v);

/* --- wide_velocities.c --- */

/* Finds the contacts at q_0, the velocities and their impulses. Returns 0 if there are none that
 * will do, or without memory. */
int peg_wide_find_velocities(peg_wide *w);

/* --- wide_positions.c --- */

/* The poses of the iterate, and the separations of all pairs that the motion could have closed; the
 * others keep a bound. */
void peg_wide_check(peg_wide *w);
/* Moves the poses until all pairs are apart; 0 if they are not in the end. */
int peg_wide_find_positions(peg_wide *w);

#endif
