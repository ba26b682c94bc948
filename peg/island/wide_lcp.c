/* Small islands in the wide attempt: contacts of patches as rows of a mixed LCP, solved to the
 * certificate. */
#include "peg/island/joints.h"
#include "peg/island/lcp_rows.h"
#include "peg/island/wide_state.h"
#include "peg/lcp/delassus.h"

enum { ROWS = 3 }; /* of a contact: along n, t, n x t; then its further ones */

static void fill_jacobian(const peg_wide_contact *c, const peg_wide_patch *patch,
                          const double *direction, peg_lcp_row *row)
{
    memset(row, 0, sizeof *row);
    row->body_a = patch->a, row->body_b = patch->b;
    peg_copy3(direction, row->Ja);
    peg_cross(c->arm_a, direction, row->Ja + 3);
    peg_cross(c->arm_b, direction, row->Jb + 3);
    for (int k = 0; k < 3; k++) row->Jb[k] = -direction[k], row->Jb[3 + k] = -row->Jb[3 + k];
}

/* Whether friction without limit, along a tangent, has a large coefficient in its place. */
static int is_steep(const peg_wide *w, int k, int j)
{
    int slips = w->friction[k] == PEG_WIDE_SLIPS && !w->I->joints.n;
    return slips && peg_has_no_limit(w->I, w->contact[k].limit[j]);
}

/* Whether friction of a contact along a tangent has a row. */
static int has_friction(const peg_wide *w, int k, int j)
{
    const peg_wide_contact *c = &w->contact[k];
    int acts = w->friction[k] == PEG_WIDE_ACTS || is_steep(w, k, j);
    return c->mu[j] > 0 || (c->limit[j] > 0 && acts);
}

/* Whether a further row of friction acts. */
static int has_further(const peg_wide *w, int k, int i)
{
    const peg_wide_further *f = peg_wide_further_of(w, k, i);
    return f->mu > 0 || (f->limit > 0 && w->friction[k] == PEG_WIDE_ACTS);
}

/* at: the normal row. */
static void fill_further(const peg_wide *w, int k, int i, const peg_wide_patch *patch, int at,
                         peg_lcp_row *row)
{
    const peg_wide_further *f = peg_wide_further_of(w, k, i);
    fill_jacobian(&w->contact[k], patch, f->axis, row);
    for (int j = 0; j < 3 && f->turns; j++) {
        row->Ja[j] = row->Jb[j] = 0;
        row->Ja[3 + j] = f->axis[j];
        row->Jb[3 + j] = -f->axis[j];
    }
    row->bounded = 1;
    row->normal = at;
    row->b = f->bias, row->c = f->compliance;
    row->mu = f->mu;
    row->limit = f->limit;
}

/* The rows of a contact; returns how many. */
static int fill_contact(const peg_wide *w, int k, const peg_wide_patch *patch, int at,
                        int frictionless, peg_lcp_row *row, double *lambda)
{
    const peg_wide_contact *c = &w->contact[k];
    double third[3];
    const double *across[2] = {c->tangent, third};
    int n = 1;
    peg_cross(c->normal, c->tangent, third);
    fill_jacobian(c, patch, c->normal, row);
    row->b = c->bias[0], row->c = c->compliance[0];
    lambda[0] = c->lambda[0];
    for (int j = 0; j < 2 && !frictionless; j++) {
        if (!has_friction(w, k, j)) continue;
        fill_jacobian(c, patch, across[j], &row[n]);
        row[n].b = c->bias[1 + j], row[n].c = c->compliance[1 + j];
        row[n].bounded = 1;
        row[n].normal = at;
        row[n].mu = is_steep(w, k, j) ? PEG_STEEP : c->mu[j];
        row[n].limit = is_steep(w, k, j) ? 0 : c->limit[j];
        lambda[n++] = c->lambda[1 + j];
    }
    for (int i = 0; i < w->furthers && !frictionless; i++) {
        if (!has_further(w, k, i)) continue;
        fill_further(w, k, i, patch, at, &row[n]);
        lambda[n++] = peg_wide_further_of(w, k, i)->lambda;
    }
    return n;
}

static int fill_rows(const peg_wide *w, int frictionless, peg_lcp_row *row, double *lambda)
{
    int m = 0;
    for (int i = 0; i < w->patches; i++) {
        const peg_wide_patch *patch = &w->patch[i];
        for (int k = patch->first; k < patch->first + patch->count; k++)
            m += fill_contact(w, k, patch, m, frictionless, &row[m], &lambda[m]);
    }
    return m;
}

/* Impulses that are rounding in the energy norm carry nothing. */
static void take_impulses(peg_wide *w, const peg_problem *problem, const peg_solution *solution,
                          int frictionless)
{
    for (int k = 0, m = 0; k < w->contacts; k++) {
        peg_wide_contact *c = &w->contact[k];
        double most = PEG_RESIDUAL_TOLERANCE * solution->unit;
        double normal = solution->lambda[m] * sqrt(peg_row_scale(problem, m));
        int bears = normal > most;
        c->lambda[0] = bears ? solution->lambda[m] : 0;
        m++;
        for (int j = 0; j < 2; j++) {
            int acts = !frictionless && has_friction(w, k, j);
            double friction = acts ? solution->lambda[m++] : 0;
            int may_be_alone = acts && c->limit[j] > 0 && !is_steep(w, k, j);
            c->lambda[1 + j] = bears || may_be_alone ? friction : 0;
        }
        for (int i = 0; i < w->furthers && !frictionless; i++) {
            peg_wide_further *f = peg_wide_further_of(w, k, i);
            f->lambda = has_further(w, k, i) ? solution->lambda[m++] : 0;
            if (!bears && !(f->limit > 0)) f->lambda = 0;
        }
    }
}

/* The rows of the joints behind those of the contacts. Of a restoration they keep what the joints
 * hold, and their impulses are not kept. */
static void add_joints(peg_wide *w, peg_problem *problem, int frictionless, peg_lcp_row *row,
                       double *lambda)
{
    peg_island *I = w->I;
    if (frictionless) {
        problem->m += peg_joints_keep(I, (const peg_vec6 *)I->v, &row[problem->m]);
        return;
    }
    problem->m += I->joints.n;
    peg_joints_fill(I, problem, row, lambda);
}

int peg_wide_solve_exact(peg_wide *w, const peg_wide_problem *wide, const peg_mass_block *mass,
                         peg_vec6 *v)
{
    peg_island *I = w->I;
    int most = (ROWS + w->furthers) * w->contacts + I->joints.n;
    peg_lcp_row *row = PEG_NEW(I->arena, peg_lcp_row, most);
    peg_solution solution = {.v = PEG_NEW(I->arena, peg_vec6, wide->nb),
                             .lambda = PEG_NEW(I->arena, double, most)};
    if (I->arena->failed) return 0;
    memset(solution.lambda, 0, (size_t)most * sizeof *solution.lambda);
    peg_problem problem = {.nb = wide->nb, .mass = mass, .target = wide->target, .row = row};
    int contacts = problem.m = fill_rows(w, wide->frictionless, row, solution.lambda);
    if (contacts > PEG_DELASSUS_ROWS) return 0;
    peg_yield_rows(I, &problem, row);
    if (I->joints.n) add_joints(w, &problem, wide->frictionless, row, solution.lambda);
    if (peg_island_lcp(I, &problem, &solution) != PEG_SOLVED) return 0;
    I->stats->residual_max = fmax(I->stats->residual_max, solution.residual / solution.unit);
    I->stats->cone_violation_max = fmax(I->stats->cone_violation_max, solution.cone);
    take_impulses(w, &problem, &solution, wide->frictionless);
    for (int k = 0; k < I->joints.n && !wide->frictionless; k++)
        I->joints.lambda[k] = solution.lambda[contacts + k];
    memcpy(v, solution.v, (size_t)wide->nb * sizeof *v);
    return 1;
}
