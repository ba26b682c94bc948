/* First contact on the way [design: conservative advancement]: a pair that moves far in a step
 * could be separated at the end because it has passed through. Between t and t + dt of the motion t
 * v the separation changes by at most dt U, U the bound of the relative motion, so a stride of s /
 * U is safe; strides of PEG_STRIDE widths are taken at least, which cannot pass through the thinner
 * part unseen. */
#include "peg/island.h"

static void place_at(peg_island *I, const peg_piece *piece, const double (*v)[6], double t,
                     peg_view *view)
{
    double scaled[6], x[3], R[9];
    for (int k = 0; k < 6; k++) scaled[k] = t * v[piece->rigid][k];
    peg_rigid_pose(&I->rigid[piece->rigid], scaled, I->h, x, R);
    peg_piece_place(piece, x, R, view);
}

double peg_advance(peg_island *I, const peg_pair *p, const double (*v)[6], double depth)
{
    const peg_piece *a = &I->piece[p->a], *b = &I->piece[p->b];
    double U = peg_pair_motion(I, p, v);
    double least = PEG_STRIDE * p->width / U;
    if (!(U > 0) || p->s0 > U) return 1;
    peg_view A = I->scratch[0], B = I->scratch[1];
    A.shape = a->part->shape;
    B.shape = b->part->shape;
    double n[3], t = 0, last_separated = 0;
    double given_up = fmin(0, p->s0) - depth;
    peg_copy3(p->facet.n, n);
    for (;;) {
        place_at(I, a, v, t, &A);
        place_at(I, b, v, t, &B);
        double apart[3];
        peg_sub(A.centre, B.centre, apart);
        double s = peg_norm(apart) - A.shape->radius - B.shape->radius;
        if (!(s > 0)) s = peg_separation_along(&A, &B, n);
        if (s < PEG_STRIDE * p->width) {
            peg_facet best = peg_separation(&A, &B, INFINITY, NULL, NULL);
            peg_copy3(best.n, n);
            s = best.s;
        }
        if (s < given_up) return last_separated;
        if (s >= 0) last_separated = t;
        if (t >= 1) return 1;
        t = fmin(1, t + fmax(s / U, least));
    }
}

void peg_first_contact(peg_island *I, int pair, double t, const double (*v)[6])
{
    peg_pair *p = &I->pair[pair];
    peg_piece *a = &I->piece[p->a], *b = &I->piece[p->b];
    peg_rigid *ra = &I->rigid[a->rigid], *rb = &I->rigid[b->rigid];
    peg_rigid keep_a = *ra, keep_b = *rb;
    peg_view now_a = a->now, now_b = b->now;
    double(*u)[6] = PEG_NEW(I->arena, double[6], I->nr);
    if (!u) {
        I->failed = 1;
        return;
    }
    memcpy(u, I->v, (size_t)I->nr * sizeof *u);
    for (int k = 0; k < 6; k++) {
        u[a->rigid][k] = t * v[a->rigid][k];
        u[b->rigid][k] = t * v[b->rigid][k];
    }
    peg_rigid_pose(ra, u[a->rigid], I->h, ra->x, ra->R);
    peg_rigid_pose(rb, u[b->rigid], I->h, rb->x, rb->R);
    a->now = I->scratch[0], b->now = I->scratch[1];
    a->now.shape = a->part->shape, b->now.shape = b->part->shape;
    peg_piece_place(a, ra->x, ra->R, &a->now);
    peg_piece_place(b, rb->x, rb->R, &b->now);

    p->facet = peg_separation(&a->now, &b->now, INFINITY, NULL, NULL);
    int from = I->first.m;
    if (!peg_patch_rows(I, pair, (const double(*)[6])u, &I->first))
        peg_facet_rows(I, pair, (const double(*)[6])u, 0.5, &I->first);
    for (int i = from; i < I->first.m; i++) I->first.row[i].first_contact = 1;
    I->stats->first_contact++;

    *ra = keep_a, *rb = keep_b;
    a->now = now_a, b->now = now_b;
}
