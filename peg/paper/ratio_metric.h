/* The ratio metric and the basic contact units of Anitescu and Hart.
 *
 * Cited: [A] Anitescu, Hart 2007, slides.
 *
 * paper      | C          | unit | meaning
 * CP(A,b,x_o)| peg_view   |      | part; x_o: peg_inner_point
 * r          | r          | -    | least t at which the parts, blown up by t about x_1, x_2, touch
 * [A 2] rho        | rho        | -    | (r - 1) / r [A 3]: > 0 apart, < 0 overlap E^(m)      |
 * peg_bcu    |      | basic contact unit: a corner on a face (CoF) or two crossing edges (EoE)
 * Phi^(m)    | phi        | -    | its component function [A 6] = gap / width
 *            | gap        | m    | n.(p_A - p_B), the signed gap of the two features
 *            | width      | m    | n.(x_A - x_B) > 0
 *            | J, K       | 1, m | gradients of gap and width: grad Phi = (J - Phi K) / width
 *
 * Closed form of [A 6]: the four faces of a unit have, blown up by t, the gap
 * gap + (t - 1)(gap - width) along n, so that r = width / (width - gap) and Phi = gap / width. It
 * holds where r is the minimum of [A 6]: for the facets of the Minkowski difference. Feature pairs
 * that are none have r = 0 and Phi = -infinity. */
#ifndef PEG_RATIO_METRIC_H
#define PEG_RATIO_METRIC_H

#include "peg/base/arena.h"
#include "peg/lcp/simplex.h"
#include "peg/shape/polytope.h"

typedef struct peg_ratio {
    double r, rho;
    peg_vec3 x;   /* where the blown-up parts touch */
    int face[4];  /* active faces: of A, or of B where it is -1 - face[k] */
    int count;    /* of these */
    int basis[4]; /* on entry that to start from; basis[0] < 0: none */
    int pivots;
} peg_ratio;

/* The linear program [A 2], from the faces of both parts; xa, xb: their inner points. A part must
 * have faces. r = 0 (rho = -infinity) iff xa = xb. */
peg_lp_status peg_ratio_metric(peg_arena *arena, const peg_view *A, const peg_view *B,
                               const double xa[3], const double xb[3], peg_ratio *out);

/* The same from some of their faces: [A 6]. */
peg_lp_status peg_ratio_of_faces(const peg_view *A, const int *fa, int na, const peg_view *B,
                                 const int *fb, int nb, const double xa[3], const double xb[3],
                                 double *r);

typedef enum peg_bcu_kind {
    PEG_BCU_CORNER_A, /* vertex i of A on face j of B */
    PEG_BCU_CORNER_B, /* vertex i of B on face j of A */
    PEG_BCU_EDGES     /* edge i of A, edge j of B, not parallel */
} peg_bcu_kind;

typedef struct peg_bcu {
    peg_bcu_kind kind;
    int i, j;
    peg_vec3 n;        /* unit, from B into A */
    peg_vec3 a, b;     /* p_A, p_B */
    double gap, width; /* m */
    double phi;
} peg_bcu;

/* The unit of two features; 0 if the edges are parallel (sine below 1e-6) or the width is not
 * positive. */
int peg_bcu_make(const peg_view *A, const peg_view *B, const double xa[3], const double xb[3],
                 peg_bcu_kind kind, int i, int j, peg_bcu *out);

/* Gradients by the velocities (v_A, w_A, v_B, w_B) of the bodies, whose centres are ca and cb. The
 * inner points move with the bodies. */
void peg_bcu_gradients(const peg_view *A, const peg_view *B, const double xa[3], const double xb[3],
                       const double ca[3], const double cb[3], const peg_bcu *bcu, double J[12],
                       double K[12]);

#endif
