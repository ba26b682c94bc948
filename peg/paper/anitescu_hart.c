/* Constraint-stabilised time stepping with the ratio metric [A]: one linearisation, one problem.
 *
 * paper    | C                    | unit | meaning
 * E(q)     | units of a pair      |      | active basic contact units [A 8]: active_units.c
 * n^(m)    | row.Ga, Gb           | 1, m | J - Phi K: the gradient of Phi times the width, so that
 *          |                      |      | impulses are N s and mu is Coulomb's
 * gamma    | settings->ratio_gamma|      | share of the gap's violation that a step corrects
 * Gamma    | row.bias             | m/s  | gamma gap / h, and what immovable bodies add
 * Delta    | contact.delta        | m/s  | mu lambda of the pass before
 * lambda   |                      | m/s  | speed of sliding
 * beta_q   | solution.lambda      | N s  | one per direction d_q of the friction cone
 *
 *     min 1/2 v^T M v - v_f^T M v   s.t.  (n^(m) + mu d_q).v >= -Gamma - Delta            [A 14]
 *
 * with lambda eliminated. For Delta = mu lambda its solution is that of the mixed LCP [A 10-12]:
 * the program is solved again until Delta does not change, from the speeds at which the step begins
 * on and with Aitken's relaxation. With Delta = 0 sliding contacts lift off: Anitescu's relaxation.
 *
 * Every active unit of a pair holds at once ("for every element of the generalised gradient"):
 * where the free space is not convex that is a trap, as in the standard model. */
#include "peg/paper/anitescu_hart.h"

#include "peg/island/joints.h"
#include "peg/island/lcp_rows.h"
#include "peg/paper/models.h"
#include "peg/paper/paper.h"
#include "peg/paper/unilateral_step.h"

/* Change of Delta at which the passes end, relative to the speeds. */
static const double SETTLED = 1e-9;

/* The solver's answers are known to about this: a smaller change that falls no more is theirs. */
static const double SOLVED_TO = 1e-6;

/* Least stride along the change of Delta, and how much longer each may be than the one before:
 * where a body drifts in a wedge Delta moves on by the same change for dozens of passes. */
static const double SHORTEST = 0.3, LONGER = 3;

/* A contact with friction: its rows are the normal row and one for each pair of opposite
 * directions.
 */
typedef struct contact {
    int row; /* of island.rows */
    double delta;
    double change; /* mu lambda - delta after the last pass */
} contact;

typedef struct model {
    contact *contact;
    int count, room;
    double unit; /* m/s: speeds of the problem */
} model;

/* --- rows ------------------------------------------------------------------------------------ */

static contact *add_contact(peg_island *I, model *m)
{
    if (m->count == m->room) {
        int room = 2 * m->room + 64;
        contact *more = PEG_NEW(I->arena, contact, room);
        if (!more) {
            I->failed = 1;
            return NULL;
        }
        if (m->count) memcpy(more, m->contact, (size_t)m->count * sizeof *more);
        m->contact = more, m->room = room;
    }
    m->contact[m->count] = (contact){0};
    return &m->contact[m->count++];
}

/* Takes Phi K off the row, for one body. */
static double take_off(const peg_island *I, int rigid, double phi, const double *K, double *G)
{
    double speed = 0;
    for (int k = 0; k < 6; k++) {
        if (rigid < I->nd)
            G[k] -= phi * K[k];
        else
            speed -= phi * K[k] * I->v[rigid][k];
    }
    return speed;
}

static void add_friction(peg_island *I, const peg_row *normal, double mu)
{
    int half = peg_cone_directions(I) / 2;
    double t[2][3];
    peg_row of = *normal;
    peg_cone_tangents(I, &of, t);
    for (int k = 0; k < half; k++) {
        double angle = 3.14159265358979323846 * k / half, d[3];
        for (int i = 0; i < 3; i++) d[i] = cos(angle) * t[0][i] + sin(angle) * t[1][i];
        peg_row *row = peg_row_set_add(I, &I->rows);
        if (!row) return;
        *row = of;
        row->friction = k + 1;
        row->mu = mu;
        peg_copy3(d, row->normal);
        row->prescribed =
            peg_start_jacobian(I, &I->pair[of.pair], of.point, of.point, d, row->Ga, row->Gb);
        row->bias = row->prescribed;
    }
}

static void add_unit(peg_island *I, model *m, int p, const peg_ratio_pair *of, const peg_bcu *unit)
{
    static const peg_feature_kind kinds[] = {PEG_FEATURES_VF, PEG_FEATURES_FV, PEG_FEATURES_EE};
    const peg_pair *pair = &I->pair[p];
    int ra = I->piece[pair->a].rigid, rb = I->piece[pair->b].rigid;
    double J[12], K[12], gamma = I->settings->ratio_gamma, gap = unit->gap;
    contact *added = add_contact(I, m);
    if (!added) return;
    added->row = I->rows.m;
    peg_row *row = peg_add_row_of_points(I, p, unit->a, unit->b, unit->n, unit->gap, &I->rows);
    if (!row) return;
    row->kind = kinds[unit->kind], row->i = unit->i, row->j = unit->j;
    if (I->settings->ratio_gradient) {
        peg_bcu_gradients(of->A, of->B, of->xa, of->xb, I->rigid[ra].x0, I->rigid[rb].x0, unit, J,
                          K);
        row->prescribed += take_off(I, ra, unit->phi, K, row->Ga);
        row->prescribed += take_off(I, rb, unit->phi, K + 6, row->Gb);
    }
    row->bias = (gamma > 0 ? gamma * gap : fmax(gap, 0)) / I->h + row->prescribed;
    row->mu = fmin(pair->surface->mu, 1e3);
    if (row->mu > 0) add_friction(I, row, row->mu);
}

static void describe(peg_island *I, int p, void *data)
{
    peg_ratio r;
    peg_ratio_pair all;
    peg_ratio_begin(I, &I->pair[p], &r, &all);
    I->stats->infeasibility_max = fmax(I->stats->infeasibility_max, -all.rho);
    if (!(all.rho <= all.active)) return;
    peg_ratio_pair adjacent = all;
    peg_ratio_units(&all);
    if (I->settings->ratio_adjacent) {
        peg_ratio_adjacent_units(&adjacent);
        int same = all.count == adjacent.count;
        for (int i = 0; i < all.count && same; i++) {
            same = 0;
            for (int j = 0; j < adjacent.count; j++)
                same |= all.unit[i].kind == adjacent.unit[j].kind &&
                        all.unit[i].i == adjacent.unit[j].i && all.unit[i].j == adjacent.unit[j].j;
        }
        I->stats->contact_unit_sets_differ += !same;
        all = adjacent;
    }
    I->stats->contact_units += all.count;
    for (int i = 0; i < all.count && !I->failed; i++) add_unit(I, data, p, &all, &all.unit[i]);
}

/* --- the program ----------------------------------------------------------------------------- */

typedef struct program {
    peg_problem problem;
    peg_solution solution;
    peg_lcp_row *row;
    peg_vec6 *target;
    int contacts; /* rows without those of joints */
} program;

static int rows_of(const peg_island *I, const contact *c)
{
    return I->rows.row[c->row].mu > 0 ? peg_cone_directions(I) : 1;
}

/* The row (n + mu d_q) of a contact. */
static void fill_row(const peg_island *I, const contact *c, int q, peg_lcp_row *out)
{
    int half = peg_cone_directions(I) / 2;
    peg_fill_row(I, c->row, out);
    const peg_row *normal = &I->rows.row[c->row];
    out->b += c->delta;
    if (!(normal->mu > 0)) return;
    const peg_row *d = normal + 1 + q % half;
    double mu = (q < half ? 1 : -1) * normal->mu;
    for (int k = 0; k < 6; k++) {
        out->Ja[k] += mu * d->Ga[k];
        out->Jb[k] += mu * d->Gb[k];
    }
    out->b += mu * d->bias;
}

static int make_program(peg_island *I, const model *m, program *p)
{
    *p = (program){0};
    for (int i = 0; i < m->count; i++) p->contacts += rows_of(I, &m->contact[i]);
    int rows = p->contacts + I->joints.n;
    p->row = PEG_NEW(I->arena, peg_lcp_row, rows);
    p->target = PEG_NEW(I->arena, peg_vec6, I->nd);
    p->solution.v = PEG_NEW(I->arena, peg_vec6, I->nd);
    p->solution.lambda = PEG_NEW(I->arena, double, rows);
    if (!p->row || !p->target || !p->solution.v || !p->solution.lambda) return 0;
    for (int i = 0; i < I->nd; i++) memcpy(p->target[i], I->rigid[i].target, sizeof p->target[i]);
    for (int i = 0; i < p->contacts; i++) p->solution.lambda[i] = 0;
    for (int k = 0; k < I->joints.n; k++) {
        p->row[p->contacts + k] = I->joints.row[k];
        p->solution.lambda[p->contacts + k] = I->joints.lambda[k];
    }
    p->problem = (peg_problem){I->nd, rows, I->mass, (const peg_vec6 *)p->target, p->row};
    return 1;
}

static peg_outcome solve_once(peg_island *I, const model *m, program *p)
{
    int at = 0;
    for (int i = 0; i < m->count; i++)
        for (int q = 0; q < rows_of(I, &m->contact[i]); q++)
            fill_row(I, &m->contact[i], q, &p->row[at++]);
    for (int i = 0; i < p->contacts && (I->forms & PEG_FORM_ELASTIC); i++)
        p->row[i].c += PEG_COMPLIANCE * peg_row_scale(&p->problem, i);
    if (I->common.capture) I->common.capture->see(I->common.capture->data, &p->problem);
    peg_outcome outcome = I->joints.n ? peg_joints_solve(I, &p->problem, p->row, &p->solution)
                                      : peg_island_lcp(I, &p->problem, &p->solution);
    peg_count_solve(I, p->problem.m);
    if (outcome == PEG_OUT_OF_MEMORY) I->failed = 1;
    return outcome == PEG_LAGGED ? PEG_SOLVED : outcome;
}

/* --- passes of friction ---------------------------------------------------------------------- */

static double speed_along(const peg_island *I, const peg_row *row, const peg_vec6 *v)
{
    const peg_pair *pair = &I->pair[row->pair];
    int a = I->piece[pair->a].rigid, b = I->piece[pair->b].rigid;
    double sum = row->bias;
    for (int k = 0; k < 6; k++) {
        if (a < I->nd) sum += row->Ga[k] * v[a][k];
        if (b < I->nd) sum += row->Gb[k] * v[b][k];
    }
    return sum;
}

/* mu lambda of a contact, lambda = max(0, max_q -d_q.v). */
static double sliding(const peg_island *I, const contact *c, const peg_vec6 *v)
{
    double most = 0;
    int half = peg_cone_directions(I) / 2;
    const peg_row *normal = &I->rows.row[c->row];
    for (int k = 0; k < half && normal->mu > 0; k++)
        most = fmax(most, fabs(speed_along(I, normal + 1 + k, v)));
    return normal->mu * most;
}

/* Delta of the first pass: the speeds at which the step begins; the relaxation has none. Returns
 * whether any contact has friction. */
static int start_delta(const peg_island *I, model *m, peg_vec6 *v)
{
    int has_friction = 0;
    for (int i = 0; i < I->nd; i++) memcpy(v[i], I->rigid[i].state.v, sizeof v[i]);
    for (int i = 0; i < m->count; i++) {
        contact *c = &m->contact[i];
        has_friction |= I->rows.row[c->row].mu > 0;
        c->change = 0;
        c->delta = I->settings->ratio_passes > 1 ? sliding(I, c, (const peg_vec6 *)v) : 0;
    }
    return has_friction;
}

/* Moves Delta towards mu lambda by a stride [Aitken 1926; for systems: Irons, Tuck 1969], which is
 * that of the pass before or 0 at first. Returns the largest change. */
static double update_delta(const peg_island *I, model *m, const peg_vec6 *v, double *stride)
{
    double largest = 0, square = 0, along = 0, next = 1, longest = fmax(1, LONGER * *stride);
    for (int i = 0; i < m->count; i++) {
        contact *c = &m->contact[i];
        double change = sliding(I, c, v) - c->delta, turn = change - c->change;
        largest = fmax(largest, fabs(change));
        along += c->change * turn;
        square += turn * turn;
        c->change = change;
    }
    if (*stride > 0 && square > 0)
        next = along < 0 ? fmin(fmax(-*stride * along / square, SHORTEST), longest) : longest;
    *stride = next;
    for (int i = 0; i < m->count; i++)
        m->contact[i].delta = fmax(0, m->contact[i].delta + next * m->contact[i].change);
    return largest;
}

static double speeds(const peg_island *I)
{
    double most = 0;
    for (int i = 0; i < I->nd; i++) {
        const peg_rigid *r = &I->rigid[i];
        most = fmax(most, peg_norm(r->target) + r->size * peg_norm(r->target + 3));
    }
    return most;
}

/* --- results --------------------------------------------------------------------------------- */

static void take(peg_island *I, const model *m, const program *p)
{
    int at = 0, half = peg_cone_directions(I) / 2;
    const double *lambda = p->solution.lambda;
    memcpy(I->v, p->solution.v, (size_t)I->nd * sizeof *I->v);
    memcpy(I->v_motion, p->solution.v, (size_t)I->nd * sizeof *I->v);
    if (I->joints.n)
        memcpy(I->joints.lambda, lambda + p->contacts, (size_t)I->joints.n * sizeof *lambda);
    I->impulse.m = 0;
    for (int i = 0; i < m->count; i++) {
        peg_row *row = &I->rows.row[m->contact[i].row];
        int n = rows_of(I, &m->contact[i]);
        row->lambda = 0;
        for (int q = 0; q < n; q++) row->lambda += lambda[at + q];
        for (int k = 0; k < half && row->mu > 0; k++)
            row[1 + k].lambda = row->mu * (lambda[at + k] - lambda[at + half + k]);
        at += n;
        if (row->lambda > 0) peg_contact_append(I, &I->impulse, &I->rows, m->contact[i].row);
    }
    double residual = p->solution.residual / peg_residual_unit(&p->problem);
    I->stats->residual_max = fmax(I->stats->residual_max, residual);
}

static peg_outcome solve(peg_island *I, void *data)
{
    model *m = data;
    program p;
    if (!make_program(I, m, &p)) {
        I->failed = 1;
        return PEG_OUT_OF_MEMORY;
    }
    int has_friction = start_delta(I, m, p.solution.v), pass = 0, most = I->settings->ratio_passes;
    double unit = speeds(I) + 1e-300, change = INFINITY, stride = 0, before;
    peg_outcome outcome;
    do {
        outcome = solve_once(I, m, &p);
        before = change;
        change =
            has_friction ? update_delta(I, m, (const peg_vec6 *)p.solution.v, &stride) / unit : 0;
        pass++;
    } while (outcome == PEG_SOLVED && pass < most && change > SETTLED &&
             !(change <= SOLVED_TO && change >= before));
    if (outcome != PEG_SOLVED) return outcome;
    I->stats->friction_islands += has_friction;
    I->stats->sliding_islands += pass > 1;
    I->stats->friction_passes += has_friction ? pass : 0;
    I->stats->friction_unconverged += most > 1 && change > SOLVED_TO;
    take(I, m, &p);
    return PEG_SOLVED;
}

peg_result peg_anitescu_hart(peg_island *I)
{
    model m = {0};
    peg_unilateral_model unilateral = {describe, solve, &m};
    return peg_unilateral_step(I, &unilateral);
}
