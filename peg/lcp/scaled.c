/* Scaling of the island's problem; see the table in scaled.h. */
#include "peg/lcp/scaled.h"

/* Rows whose weighted sum is this small, relative to the weights, are dependent: Jacobians carry
 * the rounding of the geometry, some ten units in the last place. */
static const double DEPENDENT = 1e-13;
/* A contradiction below this, relative to the unit of the residual, is rounding: gaps are known to
 * 1e-16 of the coordinates, divided by the step. */
static const double CONTRADICTION = 1e-11;
/* A point that satisfies the rows but lies this many units away is no solution: it would take ten
 * thousand times the velocities that occur (a wedge of 1e-4 rad that closes on a block). */
static const double FAR_AWAY = 1e4;
/* Smallest unit, sqrt(J): a problem of zeros is solved too. */
static const double TINY = 1e-150;

int peg_mass_root_of(const peg_mass_block *mass, peg_mass_root *root)
{
    const double *I = mass->inv_inertia;
    double *f = root->angular;
    root->linear = sqrt(mass->inv_mass);
    f[0] = sqrt(I[0]);
    f[1] = I[3] / f[0];
    f[2] = sqrt(I[4] - f[1] * f[1]);
    f[3] = I[6] / f[0];
    f[4] = (I[7] - f[3] * f[1]) / f[2];
    f[5] = sqrt(I[8] - f[3] * f[3] - f[4] * f[4]);
    double sum = root->linear + f[0] + f[1] + f[2] + f[3] + f[4] + f[5];
    return root->linear > 0 && f[0] > 0 && f[2] > 0 && f[5] > 0 && isfinite(sum);
}

void peg_mass_root_solve(const peg_mass_root *root, const double *v, double *y)
{
    const double *f = root->angular;
    for (int k = 0; k < 3; k++) y[k] = v[k] / root->linear;
    y[3] = v[3] / f[0];
    y[4] = (v[4] - f[1] * y[3]) / f[2];
    y[5] = (v[5] - f[3] * y[3] - f[4] * y[4]) / f[5];
}

/* Adds J v_f of one body to the row's sum and the magnitudes in it to its size. */
static void add_target(const double *J, const double *target, peg_scaled_row *row)
{
    double beta = row->beta, size = row->size;
    for (int k = 0; k < 6; k++) {
        double by = J[k] * target[k];
        beta += by;
        size += fabs(by);
    }
    row->beta = beta, row->size = size;
}

/* Blocks of one row, not yet of unit length; both on one body are one block. */
static void load_row(const peg_problem *problem, const peg_scaled *scaled, int i,
                     peg_scaled_row *row)
{
    const peg_lcp_row *from = &problem->row[i];
    int a = from->body_a, b = from->body_b;
    *row = (peg_scaled_row){.a = a < 0 ? -1 : 6 * a,
                            .b = b < 0 ? -1 : 6 * b,
                            .slack = -1,
                            .index = i,
                            .beta = from->b,
                            .size = fabs(from->b)};
    if (a >= 0) {
        peg_mass_root_row(&scaled->root[a], from->Ja, row->na);
        add_target(from->Ja, problem->target[a], row);
    }
    if (b >= 0) {
        peg_mass_root_row(&scaled->root[b], from->Jb, row->nb);
        add_target(from->Jb, problem->target[b], row);
    }
    if (a >= 0 && a == b) {
        for (int k = 0; k < 6; k++) row->na[k] += row->nb[k];
        row->b = -1;
    }
}

static void normalise_row(peg_scaled_row *row, double compliance)
{
    double scale = compliance;
    if (row->a >= 0)
        for (int k = 0; k < 6; k++) scale += row->na[k] * row->na[k];
    if (row->b >= 0)
        for (int k = 0; k < 6; k++) scale += row->nb[k] * row->nb[k];
    row->root_scale = sqrt(scale);
    row->ns = sqrt(compliance);
    if (!(scale > 0)) return;
    double f = 1 / row->root_scale;
    for (int k = 0; k < 6; k++) row->na[k] *= f, row->nb[k] *= f;
    row->ns *= f;
    row->beta *= f;
    row->size *= f;
}

/* The bound of a row, in the units of its impulse; its normal row is the last one with that index.
 */
static int scale_bound(const peg_lcp_row *from, const peg_scaled *scaled, peg_scaled_row *row)
{
    row->normal = -1;
    if (!from->bounded) return 1;
    row->bounded = 1;
    row->limit = from->limit * row->root_scale;
    if (!(from->limit >= 0) || !(from->mu >= 0) || isinf(from->mu)) return 0;
    if (from->mu == 0) return 1;
    int k = scaled->m - 1;
    while (k >= 0 && scaled->row[k].index > from->normal) k--;
    if (k < 0 || scaled->row[k].index != from->normal) return from->normal < row->index;
    row->normal = k;
    row->mu = from->mu * row->root_scale / scaled->row[k].root_scale;
    return !scaled->row[k].bounded && isfinite(row->mu);
}

peg_outcome peg_scale(peg_arena *arena, const peg_problem *problem, peg_scaled *out)
{
    int nb = problem->nb;
    *out = (peg_scaled){.n = 6 * nb, .nv = 6 * nb};
    out->root = PEG_NEW(arena, peg_mass_root, nb);
    out->row = PEG_NEW(arena, peg_scaled_row, problem->m);
    if (!out->root || !out->row) return PEG_OUT_OF_MEMORY;
    double energy = 0, demand = 0, y[6];
    for (int i = 0; i < nb; i++) {
        if (!peg_mass_root_of(&problem->mass[i], &out->root[i])) return PEG_SINGULAR;
        peg_mass_root_solve(&out->root[i], problem->target[i], y);
        for (int k = 0; k < 6; k++) energy += 0.5 * y[k] * y[k];
    }
    int infeasible = 0;
    for (int i = 0; i < problem->m; i++) {
        peg_scaled_row *row = &out->row[out->m];
        double c = problem->row[i].c;
        load_row(problem, out, i, row);
        normalise_row(row, c);
        if (!isfinite(row->root_scale + row->beta) || !(c >= 0)) return PEG_SINGULAR;
        if (!scale_bound(&problem->row[i], out, row)) return PEG_SINGULAR;
        if (row->root_scale > 0) {
            double b = problem->row[i].b;
            demand = fmax(demand, (row->bounded ? fabs(b) : -b) / row->root_scale);
            /* friction that may not act, as of contacts without a load */
            if (row->bounded && row->limit == 0 && row->mu == 0) continue;
            if (c > 0) row->slack = out->n++;
            out->m++;
        } else if (row->bounded ? isinf(problem->row[i].limit) && problem->row[i].b != 0
                                : problem->row[i].b < 0) {
            infeasible = 1;
        }
    }
    out->unit = fmax(sqrt(energy + demand * demand), TINY);
    if (!isfinite(out->unit)) return PEG_SINGULAR;
    return infeasible ? PEG_INFEASIBLE : PEG_SOLVED;
}

void peg_unscale(const peg_problem *problem, const peg_scaled *scaled, const double *y,
                 const double *u, peg_solution *solution)
{
    for (int i = 0; i < problem->nb; i++)
        peg_mass_root_velocity(&scaled->root[i], y + 6 * i, problem->target[i], solution->v[i]);
    for (int i = 0; i < problem->m; i++) solution->lambda[i] = 0;
    for (int i = 0; i < scaled->m; i++) {
        int at = scaled->row[i].index;
        const peg_lcp_row *row = &problem->row[at];
        double lambda = u[i] / scaled->row[i].root_scale;
        solution->lambda[at] = lambda;
        if (!row->bounded) continue;
        /* no excess, not even of rounding */
        double bound = row->limit + (row->mu > 0 ? row->mu * solution->lambda[row->normal] : 0);
        solution->lambda[at] = peg_clamp(lambda, -bound, bound);
    }
}

int peg_scaled_has_bounds(const peg_scaled *scaled)
{
    for (int i = 0; i < scaled->m; i++)
        if (scaled->row[i].bounded) return 1;
    return 0;
}

void peg_scaled_response(const peg_scaled *scaled, const double *u, double *y, double *s)
{
    memset(y, 0, (size_t)scaled->n * sizeof *y);
    for (int i = 0; i < scaled->m; i++)
        if (u[i] != 0) peg_scaled_add(&scaled->row[i], u[i], y);
    for (int i = 0; i < scaled->m; i++)
        s[i] = peg_scaled_dot(&scaled->row[i], y) + scaled->row[i].beta;
}

/* If y satisfies the rows, 0 <= sum w_i s_i = y.(N w) + beta.w, so that |y| >= -beta.w / |N w|:
 * with N w = 0 there is none. beta.w / sum w is what the best y must violate at least one row by.
 */
int peg_scaled_contradicts(const peg_scaled *scaled, const double *w, double *y)
{
    double weight = 0, demand = 0, length = 0;
    memset(y, 0, (size_t)scaled->n * sizeof *y);
    for (int i = 0; i < scaled->m; i++) {
        if (!(fabs(w[i]) > 0)) continue;
        if (scaled->row[i].slack >= 0) return 0;
        weight += fabs(w[i]);
        demand -= w[i] * scaled->row[i].beta;
        peg_scaled_add(&scaled->row[i], w[i], y);
    }
    for (int k = 0; k < scaled->n; k++) length += y[k] * y[k];
    length = sqrt(length);
    return demand > CONTRADICTION * scaled->unit * weight &&
           length <= fmax(DEPENDENT * weight, demand / (FAR_AWAY * scaled->unit));
}
