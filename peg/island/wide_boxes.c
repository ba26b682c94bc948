/* Boxes of the pieces, their poses and separations. */
#include "peg/contact/kinematics.h"
#include "peg/island/wide_state.h"

void peg_wide_place_box(const peg_piece *piece, const double *x, const double *R, peg_box *box)
{
    double at[3];
    peg_copy3(piece->part->shape->half, box->half);
    peg_rotate(R, piece->part->offset, at);
    peg_add_scaled(at, 1, x, box->x);
    peg_mat_mul(R, piece->part->rotation, box->R);
}

void peg_wide_place_body(peg_wide *w, int i)
{
    peg_rigid *r = &w->I->rigid[i];
    peg_rigid_pose(r, w->I->v[i], w->I->h, r->x, r->R);
}

void peg_wide_place_boxes(peg_wide *w, const unsigned char *moved)
{
    for (int i = 0; i < w->I->npiece; i++) {
        const peg_piece *piece = &w->I->piece[i];
        const peg_rigid *r = &w->I->rigid[piece->rigid];
        if (piece->rigid < w->I->nd && (!moved || moved[piece->rigid]))
            peg_wide_place_box(piece, r->x, r->R, &w->now[i]);
    }
}

void peg_wide_order_pieces(const peg_wide *w, const peg_pair *p, int *box, int *other)
{
    int flipped = peg_is_half_space(w->I->piece[p->a].part->shape);
    *box = flipped ? p->b : p->a, *other = flipped ? p->a : p->b;
}

void peg_wide_separate(peg_wide *w, const peg_box *at, const int *list, int n, double edge_bias)
{
    enum { LOT = 64 }; /* pairs that are handed on at once */
    const peg_box *a[LOT], *b[LOT];
    double bias[LOT];
    peg_box_axis axis[LOT];
    int of[LOT], lot = 0;
    for (int k = 0; k < n || lot; k++) {
        if (k < n) {
            peg_pair *p = &w->I->pair[list[k]];
            int box, other;
            peg_wide_order_pieces(w, p, &box, &other);
            const peg_polytope *P = w->I->piece[other].part->shape;
            if (peg_is_half_space(P)) {
                const peg_view *plane = &w->I->piece[other].now;
                p->s = peg_box_above_plane(&at[box], plane->normal[0], plane->offset[0]);
                continue;
            }
            a[lot] = &at[p->a], b[lot] = &at[p->b];
            bias[lot] = edge_bias * p->L;
            of[lot++] = list[k];
        }
        if (lot < LOT && k < n) continue;
        peg_box_separations(a, b, bias, lot, axis);
        for (int j = 0; j < lot; j++) {
            w->axis[of[j]] = axis[j];
            w->I->pair[of[j]].s = axis[j].s;
        }
        lot = 0;
    }
}
