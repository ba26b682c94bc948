/* The papers' contact models: potential contacts, the constraints U, I and X over them, and the
 * mixed LCP of a step. Cited: [W] Williams, Lu, Trinkle 2016; [F] Flickinger et al.
 *
 * paper     | C                     | unit | meaning
 * C_i       | peg_potential         | -    | potential contact: two features, normal, gap
 * psi       | row.gap0              | m    | signed gap at the start of the step
 * n         | row.normal            | -    | unit, into A (the papers': from A to B)
 * G         | row.Ga, row.Gb        | 1, m | (n, r x n) of body A, (-n, -r x n) of body B
 * psi/h + d psi/dt | row.bias       | m/s  | the velocity of immovable bodies is d psi/dt
 * C_iota, C_kappa  | peg_constraint | -    | members: the first `primaries` are C_iota
 *
 * Three files make the constraints: potential_contact.c the potential contacts with applicability
 * and feasibility [W 4], configurations_2d.c and configurations_3d.c the configurations [W 5].
 * mcp.c assembles and solves [W 48-49]; step.c is the step that all models share. */
#ifndef PEG_PAPER_H
#define PEG_PAPER_H

#include "peg/contact/island.h"

typedef struct peg_potential {
    peg_row row;          /* friction directions of a contact have row.friction > 0 */
    double applicability; /* [W 29-31]: >= 0 applicable, >= -sin theta with relaxation */
    int feasible;         /* [W 4.2] */
    int cone;             /* first of its friction directions, which lie together */
} peg_potential;

typedef enum peg_constraint_kind {
    PEG_UNILATERAL,    /* U [W 17-18]: psi >= 0 */
    PEG_INTER_CONTACT, /* I [W 19-24]: one of the psi >= 0, impulses along C_iota */
    PEG_CROSS_CONTACT  /* X [W 25]: one of the psi >= 0, impulse along the first [W 43] */
} peg_constraint_kind;

typedef struct peg_constraint {
    peg_constraint_kind kind;
    int first, count; /* members */
    int primaries;    /* of these, leading: |C_iota|; U, X: 1 */
} peg_constraint;

typedef struct peg_constraints {
    peg_island *island;
    int impacts_turn;        /* as in peg_model */
    int pair;                /* that is being described */
    int begin, begin_member; /* its first potential contact and member */
    peg_potential *contact;
    int contacts, contact_room;
    int *member; /* indices of potential contacts */
    int members, member_room;
    peg_constraint *list;
    int count, room;
} peg_constraints;

/* One of the models: the constraints of a pair. */
typedef struct peg_model {
    void (*constrain)(peg_constraints *out);
    int stabilised;   /* psi/h is part of the constraints; without it: [F 10] */
    int impacts_turn; /* applicability is relaxed by what an impact in the step can turn, too. Not
                         where every contact is a half-space: more of them are more traps */
} peg_model;

/* --- potential_contact.c --- */
/* Where vertices of one piece meet faces of the other; VF: vertices of A. */
typedef struct peg_side {
    peg_feature_kind kind;
    const peg_view *vertices, *faces;
} peg_side;
peg_side peg_side_of(const peg_constraints *c, peg_feature_kind kind);
/* Distance up to which the features at a vertex count, m: the pair's reach, and the depth of the
 * vertex inside of the other part; negative if the vertex is farther than the reach from it. */
double peg_vertex_reach(const peg_constraints *c, const peg_side *side, int vertex);
/* Index of the potential contact of two features, made if it is new; -1: no such contact (parallel
 * edges) or no memory. */
int peg_vertex_face_contact(peg_constraints *c, const peg_side *side, int vertex, int face);
int peg_edge_edge_contact(peg_constraints *c, int edge_a, int edge_b);
/* Where two edges are nearest, as shares of their lengths, within [0, 1]; returns the distance. */
double peg_edge_edge_nearest(const peg_constraints *c, int edge_a, int edge_b, double *s,
                             double *t);
/* psi_minimum [F 2.2], m, < 0: contacts with a smaller gap carry no impulse. */
double peg_least_gap(const peg_constraints *c);
/* Applicability [W 28-31] with the relaxation for the rotation of a step, that of impacts in it
 * included if the model says so. */
int peg_is_applicable(const peg_constraints *c, int contact);
/* [W 29-30] of a vertex against the normal of a face; [W 31] of one of two edges against n, least
 * over its faces; the least value that is applicable with that relaxation. */
double peg_vertex_applicability(const peg_side *side, int vertex, const double *normal);
double peg_edge_opening(const peg_view *view, int edge, const double *n);
double peg_applicable_slope(const peg_island *island, const peg_pair *pair);
/* Adds I or X over the contacts (U if there is only one). Those that can carry an impulse become
 * C_iota; none: no constraint. */
void peg_add_alternatives(peg_constraints *c, peg_constraint_kind kind, const int *contact,
                          int count);
void peg_add_constraint(peg_constraints *c, peg_constraint_kind kind, const int *contact, int count,
                        int primaries);
/* G of a force along n at a point, linearised about the start [W 3]; returns the velocity that
 * immovable bodies give it. */
double peg_start_jacobian(const peg_island *island, const peg_pair *pair, const double *point_a,
                          const double *point_b, const double *n, double *Ga, double *Gb);
/* One more potential contact; null without memory. */
peg_potential *peg_add_potential(peg_constraints *c);
/* Features of a pair that one vertex can be near to. */
enum { PEG_NEAR_MOST = 64 };

/* --- configurations_2d.c, configurations_3d.c: [W 32-33] and [W 34-38] --- */
/* As the island is planar or not. */
void peg_configuration_constraints(peg_constraints *c, int cross);
void peg_plane_constraints(peg_constraints *c, int cross);
void peg_space_constraints(peg_constraints *c, int cross);
/* U and I of all vertices of both parts: what both have in common. */
void peg_vertex_constraints(peg_constraints *c);

/* --- stewart_trinkle.c --- */
/* Every potential contact that is applicable as U. */
void peg_half_spaces(peg_constraints *c);

/* --- mcp.c --- */
/* Solves [W 48-49] with friction [F 5]; velocities go to I->v, impulses to I->impulse. On anything
 * but PEG_SOLVED nothing is written. */
peg_outcome peg_constraints_solve(peg_constraints *c);

/* --- friction.c --- */
/* Number of directions of the polyhedral friction cone: d_k and d_{k + nd/2} are opposite. */
int peg_cone_directions(const peg_island *island);
/* The first of them, along the sliding that would happen without contact, and one across it. */
void peg_cone_tangents(const peg_island *island, const peg_row *row, double t[2][3]);
/* Appends the directions of a contact with friction. */
void peg_add_cone(peg_constraints *c, int contact);
/* --- step.c --- */
peg_result peg_model_step(peg_island *island, const peg_model *model);

#endif
