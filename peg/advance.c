/* First contact on the way: a pair that moves far in a step could be separated at the end because
 * it has passed through. Between t and t + dt of the motion t v the separation changes by at most
 * dt U, U the bound of the relative motion, so a stride of s / U is safe (conservative
 * advancement); strides of PEG_STRIDE widths are taken at least, which cannot pass through the
 * thinner part unseen.
 *
 * Rows at the first contact keep the end of the motion on the near side of what was met. A turning
 * body can satisfy them and still swing through on the way: then the rows are written for the pose
 * that was too deep, g(t) + t h G (v - u) >= target, a condition on the same v. */
#include "peg/island.h"

static void place_at(peg_island *I, const peg_piece *piece, const double (*v)[6], double t,
                     peg_view *view)
{
    double scaled[6], x[3], R[9];
    for (int k = 0; k < 6; k++) scaled[k] = t * v[piece->rigid][k];
    peg_rigid_pose(&I->rigid[piece->rigid], scaled, I->h, x, R);
    peg_piece_place(piece, x, R, view);
}

/* Two triangles have no inside in which they would be found: all that could meet is looked at. */
static int are_shells(const peg_island *I, const peg_pair *p)
{
    return I->piece[p->a].part->shape->mesh && I->piece[p->b].part->shape->mesh;
}

int peg_pair_is_fast(const peg_island *I, const peg_pair *p, const double (*v)[6])
{
    return peg_pair_motion(I, p, v) >
           (are_shells(I, p) ? fmax(p->s0, PEG_FAST_SHELL * p->width) : PEG_FAST * p->width);
}

/* Nearer than this, in widths, the direction is chosen anew. */
#define NEAR_ENOUGH 0.2

/* A motion over more widths than this many strides cover is stopped where they end. */
#define MOST_STRIDES 100000

/* Two pieces on their way. */
typedef struct journey {
    peg_island *I;
    const peg_pair *pair;
    const double (*v)[6];
} journey;

static void go(const journey *j, double t, peg_view *A, peg_view *B)
{
    peg_island *I = j->I;
    *A = I->scratch[0], *B = I->scratch[1];
    A->shape = I->piece[j->pair->a].part->shape;
    B->shape = I->piece[j->pair->b].part->shape;
    place_at(I, &I->piece[j->pair->a], j->v, t, A);
    place_at(I, &I->piece[j->pair->b], j->v, t, B);
}

static int holds_at(const journey *j, double t, const double *n)
{
    peg_view A, B;
    go(j, t, &A, &B);
    return peg_separation_along(&A, &B, n) >= -PEG_TOUCH * j->pair->L;
}

/* Halvings until a change of direction counts as a passage. */
enum { LOOKS = 8 };

/* Whether shells that were apart along n0 at t0 and then along n1 at t1 have passed through each
 * other on the way: neither direction holds at the other end, nor can they be joined by directions
 * between. */
static int has_passed(const journey *j, double t0, const double *n0, double t1, const double *n1,
                      int looks)
{
    if (holds_at(j, t1, n0) || holds_at(j, t0, n1)) return 0;
    if (looks == 0) return 1;
    double t = .5 * (t0 + t1);
    peg_view A, B;
    go(j, t, &A, &B);
    peg_facet between = peg_separation(&A, &B, INFINITY, NULL, NULL);
    return between.s < -PEG_TOUCH * j->pair->L || has_passed(j, t0, n0, t, between.n, looks - 1) ||
           has_passed(j, t, between.n, t1, n1, looks - 1);
}

/* How far a piece's points may leave the straight way between their ends: an eighth of the square
 * of the angle, times the arm. */
static double sagitta(const journey *j, const peg_piece *piece)
{
    double angle = j->I->h * peg_norm(j->v[piece->rigid] + 3);
    return angle > 0 ? (1 + angle) * angle * angle / 8 * piece->arm : 0;
}

/* Whether one direction leaves the pair apart all the way, or less deep than counts: on straight
 * ways the separation along it is least at one of the ends. */
static int stays_beside(const journey *j, double depth)
{
    const peg_pair *p = j->pair;
    const peg_piece *a = &j->I->piece[p->a], *b = &j->I->piece[p->b];
    double touch = PEG_TOUCH * p->L, bend = sagitta(j, a) + sagitta(j, b);
    peg_view A, B;
    if (!(bend + touch <= depth) || peg_separation_along(&a->start, &b->start, p->facet.n) < -touch)
        return 0;
    go(j, 1, &A, &B);
    return peg_separation_along(&A, &B, p->facet.n) >= -touch;
}

peg_passage peg_advance(peg_island *I, const peg_pair *p, const double (*v)[6], double depth)
{
    peg_passage passage = {0, 0, 1};
    double U = peg_pair_motion(I, p, v);
    double least = PEG_STRIDE * p->width / U;
    if (!(U > 0) || p->s0 > U) return passage;
    int shells = are_shells(I, p);
    const journey j = {I, p, v};
    if (stays_beside(&j, depth)) return passage;
    peg_view A, B;
    double n[3], before[3], given_up = fmin(0, p->s0) - depth;
    peg_copy3(p->facet.n, n);
    peg_copy3(n, before);
    double t = 0;
    for (int strides = 0;; strides++) {
        double apart[3];
        go(&j, t, &A, &B);
        peg_sub(A.centre, B.centre, apart);
        double s = peg_norm(apart) - A.shape->radius - B.shape->radius;
        if (!(s > 0)) s = peg_separation_along(&A, &B, n);
        if (s < NEAR_ENOUGH * p->width) {
            peg_facet best = peg_separation(&A, &B, INFINITY, NULL, NULL);
            peg_copy3(best.n, n);
            s = best.s;
        }
        int apart_now = s >= -PEG_TOUCH * p->L;
        passage.hit =
            s < given_up || strides == MOST_STRIDES ||
            (shells && strides && apart_now && has_passed(&j, passage.apart, before, t, n, LOOKS));
        if (!apart_now || !passage.hit) passage.deep = t;
        if (apart_now && !passage.hit) {
            passage.apart = t;
            peg_copy3(n, before);
        }
        if (passage.hit || t >= 1) return passage;
        t = fmin(1, t + fmax(s / U, least));
    }
}

/* The pair's two pieces put at the pose u for a while. */
typedef struct visit {
    peg_piece *a, *b;
    peg_rigid *ra, *rb;
    peg_rigid keep_a, keep_b;
    peg_view now_a, now_b;
} visit;

static visit go_to(peg_island *I, const peg_pair *p, const double (*u)[6])
{
    visit w = {.a = &I->piece[p->a], .b = &I->piece[p->b]};
    w.ra = &I->rigid[w.a->rigid], w.rb = &I->rigid[w.b->rigid];
    w.keep_a = *w.ra, w.keep_b = *w.rb;
    w.now_a = w.a->now, w.now_b = w.b->now;
    peg_rigid_pose(w.ra, u[w.a->rigid], I->h, w.ra->x, w.ra->R);
    peg_rigid_pose(w.rb, u[w.b->rigid], I->h, w.rb->x, w.rb->R);
    w.a->now = I->scratch[0], w.b->now = I->scratch[1];
    w.a->now.shape = w.a->part->shape, w.b->now.shape = w.b->part->shape;
    peg_piece_place(w.a, w.ra->x, w.ra->R, &w.a->now);
    peg_piece_place(w.b, w.rb->x, w.rb->R, &w.b->now);
    return w;
}

static void come_back(const visit *w)
{
    *w->ra = w->keep_a, *w->rb = w->keep_b;
    w->a->now = w->now_a, w->b->now = w->now_b;
}

/* First contacts closer in time than this are the same: its rows did not help. */
#define SAME_TIME 1e-3

void peg_first_contact(peg_island *I, int pair, const peg_passage *passage, const double (*v)[6])
{
    peg_pair *p = &I->pair[pair];
    int again = fabs(passage->apart - p->contact_time) < SAME_TIME;
    int swings_through = again && !(I->without & PEG_RULE_SWING);
    double t = swings_through ? passage->deep : passage->apart;
    double(*u)[6] = I->on_the_way;
    for (int k = 0; k < 6; k++) {
        u[I->piece[p->a].rigid][k] = t * v[I->piece[p->a].rigid][k];
        u[I->piece[p->b].rigid][k] = t * v[I->piece[p->b].rigid][k];
    }
    visit w = go_to(I, p, (const double(*)[6])u);
    p->others = p->beside = INFINITY;
    p->checked = 0;
    p->facet = peg_separation(&w.a->now, &w.b->now, INFINITY, NULL, NULL);
    p->contact_time = passage->apart;
    int from = I->first.m;
    if (!peg_patch_rows(I, pair, (const double(*)[6])u, &I->first))
        peg_facet_rows(I, pair, (const double(*)[6])u, 0.5, &I->first);
    for (int i = from; i < I->first.m; i++) {
        peg_row *row = &I->first.row[i];
        row->first_contact = 1;
        if (swings_through && !row->friction) row->bias = (row->bias - row->given) / t + row->given;
    }
    I->stats->first_contact++;
    come_back(&w);
}
