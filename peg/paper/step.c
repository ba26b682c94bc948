/* The step that the papers' models share: constraints of all pairs at the start of the step, one
 * linearisation, one mixed LCP, one motion.
 *
 * When no solver gives an answer (Lemke's method ends on a ray, or the residual is too large) the
 * step counts as unconverged and is made with the primary contact of every U- and I-constraint as a
 * half-space: [W 8-9] over those, or, if they contradict each other, with the least violation; and
 * if there is no answer to that either, or too many of them, with the free velocity. */
#include "peg/base/clock.h"
#include "peg/contact/disjunction.h"
#include "peg/contact/kinematics.h"
#include "peg/contact/patch.h"
#include "peg/contact/row_set.h"
#include "peg/island/begin.h"
#include "peg/island/solve.h"
#include "peg/paper/paper.h"

/* A half-space counts as violated beyond rounding and solver, in L. */
static const double VIOLATED = 1e-7;

/* Half-spaces per body of a degraded step: a body that a trap has thrown away at an absurd speed
 * reaches everything, and that step is lost anyway. */
enum { MOST_HALF_SPACES = 30 };

/* --- half-spaces by the island's own solvers --- */

static void add_half_space(peg_constraints *c, int contact)
{
    peg_island *I = c->island;
    int half = peg_cone_directions(I) / 2;
    const peg_potential *of = &c->contact[contact];
    for (int k = 0; k <= (of->row.mu > 0 ? half : 0); k++) {
        peg_row *row = peg_row_set_add(I, &I->rows);
        if (!row) return;
        *row = k ? c->contact[of->cone + k - 1].row : of->row;
        if (k) row->mu *= sin(0.25 * PEG_PI * (I->common.planar ? 2 : 2. / half));
    }
}

/* U for the primary contact of every constraint. */
static peg_outcome solve_half_spaces(peg_constraints *c)
{
    peg_island *I = c->island;
    I->rows.m = I->before.rows.m = 0;
    for (int i = 0; i < c->count; i++)
        if (c->list[i].kind != PEG_CROSS_CONTACT) add_half_space(c, c->member[c->list[i].first]);
    peg_outcome outcome = I->failed ? PEG_OUT_OF_MEMORY : peg_island_solve(I, PEG_ABOUT_FREE);
    if (outcome == PEG_SOLVED) peg_island_accumulate(I, PEG_ABOUT_FREE);
    return outcome;
}

static void degrade(peg_constraints *c)
{
    peg_island *I = c->island;
    I->stats->unconverged++;
    int count = 0;
    for (int i = 0; i < c->count; i++) count += c->list[i].kind != PEG_CROSS_CONTACT;
    if (count <= MOST_HALF_SPACES * I->nd) {
        if (solve_half_spaces(c) == PEG_SOLVED || I->failed) return;
        I->forms |= PEG_FORM_ELASTIC;
        I->stats->fallback_elastic++;
        if (solve_half_spaces(c) == PEG_SOLVED || I->failed) return;
    }
    for (int i = 0; i < I->nd; i++) memcpy(I->v[i], I->rigid[i].state.v_free, sizeof I->v[i]);
    I->impulse.m = 0;
}

/* --- the step --- */

static void describe(peg_constraints *c, const peg_model *model)
{
    peg_island *I = c->island;
    for (c->pair = 0; c->pair < I->npair && !I->failed; c->pair++) {
        c->begin = c->contacts;
        c->begin_member = c->members;
        model->constrain(c);
    }
    for (int i = 0; i < c->contacts && !model->stabilised; i++)
        c->contact[i].row.bias = c->contact[i].row.prescribed;
    for (int i = 0; i < c->count; i++)
        for (int k = 0; k < c->list[i].primaries && c->list[i].kind != PEG_CROSS_CONTACT; k++)
            peg_add_cone(c, c->member[c->list[i].first + k]);
}

static int all_unilateral(const peg_constraints *c)
{
    for (int i = 0; i < c->count; i++)
        if (c->list[i].kind != PEG_UNILATERAL) return 0;
    return 1;
}

/* Without I and X the island's own solvers know the problem too. */
static peg_outcome solve_constraints(peg_constraints *c)
{
    pegSolver wanted = c->island->settings->solver;
    int simple = all_unilateral(c);
    if (simple && wanted == PEG_SOLVER_PROJECTED) return solve_half_spaces(c);
    peg_outcome outcome = peg_constraints_solve(c);
    /* Lemke's method ends on rays where joints leave several contacts the same freedom */
    int other = outcome == PEG_ITERATION_LIMIT || (outcome != PEG_SOLVED && c->island->joints.n);
    return simple && other && wanted == PEG_SOLVER_AUTO && !c->island->failed ? solve_half_spaces(c)
                                                                              : outcome;
}

/* I-constraints of which the half-space of one contact that the standard model would have, too, is
 * violated at the end of the step, while another gap keeps the vertex outside. */
static int count_traps(const peg_constraints *c)
{
    int traps = 0;
    for (int i = 0; i < c->count; i++) {
        const peg_constraint *x = &c->list[i];
        double least = INFINITY, most = -INFINITY, size = 0;
        for (int k = 0; k < x->count && x->kind == PEG_INTER_CONTACT; k++) {
            int member = c->member[x->first + k];
            const peg_row *row = &c->contact[member].row;
            double gap = peg_row_gap(c->island, row);
            size = VIOLATED * c->island->pair[row->pair].L;
            if (peg_is_applicable(c, member)) least = fmin(least, gap);
            most = fmax(most, gap);
        }
        traps += least < -size && most >= -size;
    }
    return traps;
}

peg_result peg_model_step(peg_island *I, const peg_model *model)
{
    peg_constraints c = {.island = I, .impacts_turn = model->impacts_turn};
    pegStats *stats = I->stats;
    double then = peg_seconds();
    peg_island_begin(I);
    I->forms &= ~(unsigned)PEG_FORM_RECOVERY;
    peg_lap(&then, &stats->time_check);
    describe(&c, model);
    peg_lap(&then, &stats->time_rows);
    if (I->failed) return PEG_NOT_CONVERGED;
    peg_outcome outcome = solve_constraints(&c);
    if (outcome != PEG_SOLVED && !I->failed) {
        if (!I->settings->paper_fallback)
            I->failed = I->unsolved = 1;
        else
            degrade(&c);
    }
    peg_lap(&then, &stats->time_solve);
    if (I->failed) return PEG_NOT_CONVERGED;
    peg_island_move(I);
    for (int i = 0; i < I->npair; i++) peg_pair_shortfall(I, &I->pair[i], NULL, NULL);
    stats->traps += count_traps(&c);
    peg_lap(&then, &stats->time_check);
    return PEG_CONVERGED;
}
