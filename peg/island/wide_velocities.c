/* Velocities of the wide attempt about v_f, with friction: of small islands the mixed LCP of the
 * contacts at q_0 to its certificate, of others by PGS in lanes. */
#include "peg/contact/kinematics.h"
#include "peg/island/energy.h"
#include "peg/island/lcp_rows.h"
#include "peg/island/solve.h"
#include "peg/island/wide_state.h"

/* Iterations for the velocities at most: with 40 of them 135 of 200 steps of a falling pile of 1000
 * boxes are unconverged, with these 31. Those of 5 to 29 bodies end when rows change by less than
 * this share of the bodies' speed. */
enum { MOST_ITERATIONS = 400 };
static const double FINE_CHANGE = 1e-4;

/* Solves for the velocities of a small island at most: of 239 islands in a falling pile of 100
 * boxes 179 take one, 60 take two. */
enum { PASSES = 4 };

/* --- contacts --- */

static void choose_reaches(void *data, int begin, int end)
{
    peg_wide *w = data;
    for (int i = begin; i < end; i++) {
        const peg_wide_pair *p = &w->pair[i];
        double reach = p->s0 > p->reach ? -INFINITY : p->reach;
        if (w->search[i] == PEG_WIDE_VIEWS) reach += fmax(p->s0, 0);
        w->visit[i] = (peg_wide_visit){.pair = i, .is_violated = w->passes[i] > 0, .reach = reach};
    }
}

/* The gap that a contact at q_0 keeps, m. */
static double kept_gap(const peg_wide *w, int k)
{
    return peg_min(w->feature[k].gap, w->gap * w->pair[w->feature[k].pair].margin);
}

static void finish_start(peg_wide *w, const peg_wide_visit *v)
{
    for (int k = v->first; k < v->first + v->count; k++)
        w->contact[k].bias = (w->feature[k].gap - kept_gap(w, k)) / w->I->h;
    peg_wide_warm_start(w, v);
}

static int gather_contacts(peg_wide *w)
{
    w->visits = w->I->npair;
    if (!peg_wide_reserve_visits(w, w->visits)) return 0;
    peg_pool_loop(w->I->pool, choose_reaches, w, w->visits);
    return peg_wide_find_contacts(w, PEG_WIDE_START, finish_start);
}

/* --- small islands --- */

/* Speed of the iterate along the normal of a contact at q_0, m/s. */
static double normal_speed(const peg_wide *w, int k)
{
    const peg_wide_contact *c = &w->contact[k];
    const peg_wide_pair *p = &w->pair[w->feature[k].pair];
    const double *va = w->I->v[w->piece[p->a].rigid], *vb = w->I->v[w->piece[p->b].rigid];
    double at_a[3], at_b[3];
    peg_cross(va + 3, c->arm_a, at_a);
    peg_cross(vb + 3, c->arm_b, at_b);
    return peg_dot(c->normal, va) + peg_dot(c->normal, at_a) - peg_dot(c->normal, vb) -
           peg_dot(c->normal, at_b);
}

/* Adds to the bias of each row the part of its gap at q(v) that is not linear in v, as far as v = 0
 * satisfies it still. Returns whether no contact that bears ends above the usual gap of large
 * islands. */
static int correct_gaps(peg_wide *w)
{
    const peg_island *I = w->I;
    int is_settled = 1;
    peg_wide_place_all(w);
    for (int k = 0; k < w->contacts; k++) {
        peg_wide_contact *c = &w->contact[k];
        const peg_wide_pair *p = &w->pair[w->feature[k].pair];
        double start = w->feature[k].gap, target = kept_gap(w, k);
        double end = peg_wide_end_gap(w, k), remainder = end - start - I->h * normal_speed(w, k);
        is_settled &= !(c->lambda[0] > 0) || end - target <= PEG_COARSE_GAP * p->margin;
        c->bias = fmax(0, start + remainder - target) / I->h;
    }
    return is_settled;
}

/* Contacts open by second order as bodies turn, and would then bear load at a distance: Newton's
 * iteration on the gaps with the Jacobian of q_0 closes them. */
static int find_exactly(peg_wide *w, const peg_vec6 *target)
{
    const peg_wide_problem problem = {.nb = w->I->nd, .target = target};
    for (int pass = 0; pass < PASSES; pass++) {
        if (!peg_wide_solve_exact(w, &problem, w->I->mass, w->I->v)) return 0;
        peg_count_solve(w->I, 3 * w->contacts);
        if (correct_gaps(w)) return 1;
    }
    return 0;
}

/* --- large ones --- */

static int find_by_pgs(peg_wide *w, const peg_vec6 *target)
{
    peg_island *I = w->I;
    int is_coarse = I->nd >= PEG_COARSE_FROM, is_active = I->forms & PEG_FORM_ACTIVE;
    int least = is_active ? PEG_COARSE_ITERATIONS : PEG_SLOW_ITERATIONS;
    double enough = PEG_UNCONVERGED * peg_usual_change(I);
    peg_wide_problem problem = {.nb = I->nd,
                                .root = w->root,
                                .target = target,
                                .contact = w->contact,
                                .patch = w->patch,
                                .patches = w->patches,
                                .iterations = MOST_ITERATIONS,
                                .least = is_coarse ? least : MOST_ITERATIONS,
                                .enough = enough * enough,
                                .tolerance = (is_coarse ? PEG_COARSE : FINE_CHANGE) * w->speed,
                                .pool = I->pool};
    peg_wide_result result;
    if (!peg_solve_wide_pgs(I->arena, &problem, I->v, &result)) return 0;
    peg_wide_count(w, &result);
    if (is_coarse && peg_is_slow(I, (const peg_vec6 *)I->v, PEG_COARSE_REST))
        memset(I->v, 0, (size_t)I->nd * sizeof *I->v);
    peg_count_solve(I, 3 * w->contacts);
    peg_note_left(I, result.left);
    if (result.change > problem.tolerance) I->result.notes |= PEG_NOTE_BUDGET;
    I->stats->pgs_solves++;
    I->stats->pgs_iterations += result.iterations;
    I->stats->pgs_residual_max = fmax(I->stats->pgs_residual_max, result.change / w->speed);
    return 1;
}

int peg_wide_find_velocities(peg_wide *w)
{
    peg_island *I = w->I;
    peg_vec6 *target = PEG_NEW(I->arena, peg_vec6, I->nd);
    for (int i = 0; i < I->nr; i++) w->number[i] = i < I->nd ? i : -1;
    if (!target || !gather_contacts(w)) return 0;
    for (int i = 0; i < I->nd; i++) memcpy(target[i], I->rigid[i].target, sizeof *target);
    peg_note_exact(I);
    if (!(w->is_small ? find_exactly(w, (const peg_vec6 *)target)
                      : find_by_pgs(w, (const peg_vec6 *)target)))
        return 0;
    memcpy(I->v_motion, I->v, (size_t)I->nd * sizeof *I->v);
    return 1;
}
