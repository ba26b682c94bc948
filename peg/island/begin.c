/* Start of an attempt: first directions, first contacts of the free motion. */
#include "peg/island/begin.h"

#include "peg/contact/disjunction.h"
#include "peg/contact/friction.h"
#include "peg/contact/kinematics.h"
#include "peg/contact/mode.h"
#include "peg/island/check.h"
#include "peg/island/row_cache.h"

/* Share of the opening of overlaps that is asked for where the outer loop has failed: rows of many
 * deep overlaps turn bodies far when all of it is. */
static const double CAREFUL_OPENING = 0.125;

void peg_piece_place_start(const peg_island *I, peg_piece *piece)
{
    const peg_rigid *r = &I->rigid[piece->rigid];
    if (piece->has_start) return;
    peg_piece_place(piece, r->x0, r->R0, &piece->start);
    piece->has_start = 1;
}

void peg_piece_place_free(const peg_island *I, peg_piece *piece)
{
    const peg_rigid *r = &I->rigid[piece->rigid];
    double x[3], R[9];
    const double *v = piece->rigid < I->nd ? r->state.v_free : I->v[piece->rigid];
    if (r->state.kind == PEG_STATIC) return;
    peg_rigid_pose(r, v, I->h, x, R);
    peg_piece_place(piece, x, R, &piece->free_);
}

void peg_island_place_views(peg_island *I)
{
    for (int i = 0; i < I->npiece; i++) {
        peg_piece_place_start(I, &I->piece[i]);
        peg_piece_place_free(I, &I->piece[i]);
    }
}

/* Whether a moving body of the pair touches a third body. */
static int is_touched(const peg_island *I, const peg_pair *p)
{
    int a = I->piece[p->a].rigid, b = I->piece[p->b].rigid;
    return p->s0 > p->margin &&
           ((a < I->nd && I->rigid[a].touched) || (b < I->nd && I->rigid[b].touched));
}

/* Whether a triangle touches a half-space at q_0: its rows already have the half-space's direction.
 */
static int lies_on_half_space(const peg_island *I, const peg_pair *p)
{
    const peg_polytope *A = I->piece[p->a].part->shape, *B = I->piece[p->b].part->shape;
    return p->s0 <= p->margin && ((peg_is_triangle(A) && peg_is_half_space(B)) ||
                                  (peg_is_triangle(B) && peg_is_half_space(A)));
}

void peg_island_begin(peg_island *I)
{
    I->progress.iteration = 0;
    I->progress.opening = I->forms & PEG_FORM_POSITIONS_APART ? CAREFUL_OPENING : 1;
    for (int i = 0; i < I->npair; i++) {
        peg_pair *p = &I->pair[i];
        /* in active islands most rows within the reachable distance are inactive; the check of the
         * poses finds pairs that come closer */
        double near = fmin(PEG_NEAR * p->L, p->whole_reach);
        p->reach = peg_is_coarse(I) ? near + PEG_CLOSING * (p->whole_reach - near) : p->whole_reach;
        if (!p->start.known) I->progress.work += PEG_WORK_OF_START;
        peg_pair_begin(I, p);
    }
    peg_friction_limits(I);
    I->first.m = I->impulse.m = 0;
    peg_drop_rows(I);
    I->forms &= PEG_FORMS_OF_POLICY;
    if (peg_is_coarse(I) && (I->forms & PEG_FORM_ACTIVE)) I->forms |= PEG_FORM_GAP_GROWTH;
    for (int i = 0; i < I->npair; i++) {
        peg_pair *p = &I->pair[i];
        if (!peg_pair_recovers(p)) continue;
        I->forms |= PEG_FORM_RECOVERY;
        p->violated = 1; /* at any depth: the facet's own rows */
    }
    /* first contacts of the free motion, except of supported bodies, which will not make it */
    for (int i = 0; i < I->nd; i++) memcpy(I->v[i], I->rigid[i].state.v_free, sizeof I->v[i]);
    for (int i = 0; i < I->nr; i++) I->rigid[i].touched = 0;
    for (int i = 0; i < I->npair; i++) {
        const peg_pair *p = &I->pair[i];
        if (p->s0 > p->margin) continue;
        I->rigid[I->piece[p->a].rigid].touched = I->rigid[I->piece[p->b].rigid].touched = 1;
    }
    int exact = I->settings->contact == PEG_CONTACT_PEG;
    for (int i = 0; i < I->npair && exact; i++) {
        const peg_pair *p = &I->pair[i];
        if (is_touched(I, p) || lies_on_half_space(I, p) || !peg_is_fast(I, p)) continue;
        peg_add_first_contact(I, i, PEG_HIT_DEPTH * p->width);
    }
    for (int i = 0; i < I->npair; i++) I->pair[i].clear = -INFINITY; /* of another motion */
    memset(I->v, 0, (size_t)I->nd * sizeof *I->v);
    peg_island_move(I);
}
