#include "peg/paper/pair_direction.h"

#include "peg/collide/separation.h"

int peg_cores_are_apart(const peg_view *A, const peg_view *B, double s)
{
    double round = A->shape->round + B->shape->round;
    return round > 0 && s + round > 0;
}

/* Of parts with a radius whose inner polytopes are apart: no linear program gives that direction,
 * it is the one between the nearest features. */
static int find_nearest(const peg_view *A, const peg_view *B, peg_ssh *out)
{
    if (!(A->shape->round + B->shape->round > 0)) return 0;
    peg_facet facet = peg_separation(A, B, INFINITY, NULL, NULL);
    if (!peg_cores_are_apart(A, B, facet.s)) return 0;
    *out = (peg_ssh){.s = facet.s, .basis = {-1}};
    peg_copy3(facet.n, out->n);
    const peg_view *from = A->shape->nv > 0 ? A : B;
    double side = from == A ? 1 : -1, *at = from == A ? out->a : out->b;
    /* the outermost point of a part's inner polytope along -n, or along n if `side` is -1 */
    double least = INFINITY;
    for (int i = 0; i < from->shape->nv; i++) {
        double height = side * peg_dot(facet.n, from->vertex[i]);
        if (height < least) least = height, peg_copy3(from->vertex[i], at);
    }
    peg_add_scaled(at, -side * from->shape->round, facet.n, at);
    peg_add_scaled(at, -side * facet.s, facet.n, from == A ? out->b : out->a);
    return 1;
}

int peg_pair_direction(peg_island *I, peg_pair *pair, const peg_view *A, const peg_view *B,
                       peg_ssh *out)
{
    double start[3], xa[3], xb[3], *old = pair->choice->direction;
    peg_lp_status status = PEG_LP_UNBOUNDED;
    if (find_nearest(A, B, out)) {
        peg_copy3(out->n, old);
        return 1;
    }
    *out = (peg_ssh){.basis = {-1}};
    if (peg_dot(old, old) > 0)
        status = peg_ssh_separation(I->arena, A, B, (const double(*)[3])old, 1, out);
    if (status != PEG_LP_SOLVED) {
        peg_inner_point(A, B, xa);
        peg_inner_point(B, A, xb);
        peg_sub(xa, xb, start);
        if (peg_normalise(start) <= 1e-9 * pair->L) peg_copy3(pair->facet.n, start);
        status = peg_ssh_separation(I->arena, A, B, (const double(*)[3])start, 1, out);
    }
    I->stats->linear_programs += out->programs;
    if (status != PEG_LP_SOLVED) return 0;
    peg_normalise(out->n);
    peg_copy3(out->n, old);
    return 1;
}
