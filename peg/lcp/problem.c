/* The certificate of a solution, computed from the problem alone, and problems in files.
 *
 * paper | here         | unit
 * M^-1  | F F^T        | per body, F lower triangular (peg_mass_root)
 * r     | M (v - v_f) - G^T lambda; its energy norm is |F^T r| = |F^-1 (v - v_f) - F^T G^T lambda|
 */
#include "peg/lcp/problem.h"

#include <stdio.h>

#include "peg/base/arena.h"
#include "peg/lcp/scaled.h"

const char *peg_outcome_name(peg_outcome outcome)
{
    static const char *const name[] = {
        [PEG_SOLVED] = "solved",     [PEG_INFEASIBLE] = "infeasible",
        [PEG_RAY] = "ray",           [PEG_ITERATION_LIMIT] = "iteration limit",
        [PEG_SINGULAR] = "singular", [PEG_NOT_CERTIFIED] = "not certified",
        [PEG_LAGGED] = "lagged",     [PEG_OUT_OF_MEMORY] = "out of memory",
    };
    int known = outcome >= 0 && outcome < (int)(sizeof name / sizeof name[0]);
    return known ? name[outcome] : "unknown outcome";
}

/* J M^-1 J^T of one body. */
static double block_scale(const peg_mass_block *mass, const double *J)
{
    double linear = 0, angular = 0;
    for (int k = 0; k < 3; k++) {
        linear += J[k] * J[k];
        angular += J[3 + k] * peg_dot(mass->inv_inertia + 3 * k, J + 3);
    }
    return mass->inv_mass * linear + angular;
}

void peg_add_impulse(const peg_mass_block *mass, const double J[6], double lambda, double v[6])
{
    double turn[3];
    peg_rotate(mass->inv_inertia, J + 3, turn);
    peg_add_scaled(v, lambda * mass->inv_mass, J, v);
    peg_add_scaled(v + 3, lambda, turn, v + 3);
}

double peg_lcp_speed(const peg_lcp_row *row, const peg_vec6 *v)
{
    double sum = 0;
    for (int k = 0; k < 6; k++) {
        if (row->body_a >= 0) sum += row->Ja[k] * v[row->body_a][k];
        if (row->body_b >= 0) sum += row->Jb[k] * v[row->body_b][k];
    }
    return sum;
}

double peg_row_scale(const peg_problem *problem, int i)
{
    const peg_lcp_row *row = &problem->row[i];
    int a = row->body_a, b = row->body_b;
    double both[6];
    if (a >= 0 && a == b) {
        for (int k = 0; k < 6; k++) both[k] = row->Ja[k] + row->Jb[k];
        return row->c + block_scale(&problem->mass[a], both);
    }
    return row->c + (a >= 0 ? block_scale(&problem->mass[a], row->Ja) : 0) +
           (b >= 0 ? block_scale(&problem->mass[b], row->Jb) : 0);
}

int peg_norms_create(peg_arena *arena, const peg_problem *problem, peg_norms *norms)
{
    norms->mass = PEG_NEW(arena, peg_mass_root, problem->nb);
    norms->row = PEG_NEW(arena, double, problem->m);
    norms->are_good = 1;
    if (!norms->mass || !norms->row) return 0;
    for (int i = 0; i < problem->nb; i++)
        norms->are_good &= peg_mass_root_of(&problem->mass[i], &norms->mass[i]);
    for (int i = 0; i < problem->m; i++) norms->row[i] = sqrt(peg_row_scale(problem, i));
    return 1;
}

/* The factor of a body's mass; norms: NULL if they are not known. */
static int find_root(const peg_problem *problem, const peg_norms *norms, int body,
                     peg_mass_root *root)
{
    if (!norms) return peg_mass_root_of(&problem->mass[body], root);
    *root = norms->mass[body];
    return norms->are_good;
}

static double row_root(const peg_problem *problem, const peg_norms *norms, int i)
{
    return norms ? norms->row[i] : sqrt(peg_row_scale(problem, i));
}

/* The larger of two, and infinity if one is not a number. */
static double worse(double a, double b)
{
    return isnan(a) || isnan(b) ? INFINITY : peg_max(a, b);
}

static void add_impulse(const peg_mass_root *root, const double *J, double lambda, double *r)
{
    double g[6];
    peg_mass_root_row(root, J, g);
    for (int k = 0; k < 6; k++) r[k] -= lambda * g[k];
}

/* Bodies whose force balance is summed up in one pass over the rows. */
enum { CHUNK = 64 };

/* Largest energy norm of the force balance of the bodies first .. first + count - 1. */
static double body_residual(const peg_problem *problem, const peg_norms *norms,
                            const peg_solution *solution, int first, int count)
{
    peg_mass_root root[CHUNK];
    double r[CHUNK][6], v[6], worst = 0;
    for (int i = 0; i < count; i++) {
        if (!find_root(problem, norms, first + i, &root[i])) return INFINITY;
        for (int k = 0; k < 6; k++)
            v[k] = solution->v[first + i][k] - problem->target[first + i][k];
        peg_mass_root_solve(&root[i], v, r[i]);
    }
    for (int i = 0; i < problem->m; i++) {
        const peg_lcp_row *row = &problem->row[i];
        int a = row->body_a - first, b = row->body_b - first;
        if (solution->lambda[i] == 0) continue;
        if (a >= 0 && a < count) add_impulse(&root[a], row->Ja, solution->lambda[i], r[a]);
        if (b >= 0 && b < count) add_impulse(&root[b], row->Jb, solution->lambda[i], r[b]);
    }
    for (int i = 0; i < count; i++) {
        double sum = 0;
        for (int k = 0; k < 6; k++) sum += r[i][k] * r[i][k];
        worst = worse(worst, sqrt(sum));
    }
    return worst;
}

static double bound(const peg_problem *problem, const peg_solution *solution, int i)
{
    const peg_lcp_row *row = &problem->row[i];
    return row->limit + (row->mu > 0 ? row->mu * fmax(0, solution->lambda[row->normal]) : 0);
}

/* |lambda - clamp(lambda - w, -B, B)| and |min(w, lambda)| in the energy norm; it holds what
 * exceeds the bounds. */
static double row_residual(const peg_problem *problem, const peg_norms *norms,
                           const peg_solution *solution, int i)
{
    const peg_lcp_row *row = &problem->row[i];
    double lambda = solution->lambda[i], w = row->b + row->c * lambda;
    for (int k = 0; k < 6; k++) {
        if (row->body_a >= 0) w += row->Ja[k] * solution->v[row->body_a][k];
        if (row->body_b >= 0) w += row->Jb[k] * solution->v[row->body_b][k];
    }
    double B = row->bounded ? bound(problem, solution, i) : INFINITY;
    if (lambda == 0 && (row->bounded ? B == 0 && !isnan(w) : w >= 0)) return 0;
    double root = row_root(problem, norms, i);
    if (root == 0) return w >= 0 || (row->bounded && isfinite(row->limit)) ? 0 : INFINITY;
    w /= root;
    lambda *= root;
    if (isnan(w) || isnan(lambda)) return INFINITY;
    if (!row->bounded) return fabs(fmin(w, lambda));
    B *= root;
    return fabs(lambda - peg_clamp(lambda - w, -B, B));
}

/* Rows first: they tell soonest what is no answer. */
double peg_residual_up_to(const peg_problem *problem, const peg_norms *norms,
                          const peg_solution *solution, double most)
{
    double residual = 0;
    for (int i = 0; i < problem->m && residual <= most; i++)
        residual = worse(residual, row_residual(problem, norms, solution, i));
    for (int i = 0; i < problem->nb && residual <= most; i += CHUNK) {
        int count = problem->nb - i < CHUNK ? problem->nb - i : CHUNK;
        residual = worse(residual, body_residual(problem, norms, solution, i, count));
    }
    return residual;
}

double peg_residual(const peg_problem *problem, const peg_solution *solution)
{
    return peg_residual_up_to(problem, NULL, solution, INFINITY);
}

double peg_cone_excess(const peg_problem *problem, const peg_solution *solution)
{
    double worst = 0;
    for (int i = 0; i < problem->m; i++) {
        if (!problem->row[i].bounded) continue;
        double B = bound(problem, solution, i), excess = fabs(solution->lambda[i]) - B;
        if (!(excess <= 0)) worst = worse(worst, excess / B);
    }
    return worst;
}

static double kinetic(const peg_problem *problem, const peg_norms *norms, int body)
{
    peg_mass_root root;
    double y[6], sum = 0;
    if (!find_root(problem, norms, body, &root)) return NAN;
    peg_mass_root_solve(&root, problem->target[body], y);
    for (int k = 0; k < 6; k++) sum += y[k] * y[k];
    return 0.5 * sum;
}

double peg_residual_unit_by(const peg_problem *problem, const peg_norms *norms)
{
    double energy = 0, demand = 0;
    for (int i = 0; i < problem->nb; i++) energy += kinetic(problem, norms, i);
    for (int i = 0; i < problem->m; i++) {
        double root = row_root(problem, norms, i);
        if (root != 0) demand = worse(demand, fabs(problem->row[i].b) / root);
    }
    double unit = sqrt(energy + demand * demand);
    return isnan(unit) ? INFINITY : fmax(unit, 1e-150);
}

double peg_residual_unit(const peg_problem *problem)
{
    return peg_residual_unit_by(problem, NULL);
}

static void write_numbers(FILE *file, const double *x, int n, char end)
{
    for (int k = 0; k < n; k++) fprintf(file, "%.17g%c", x[k], k + 1 < n ? ' ' : end);
}

static int read_numbers(FILE *file, double *x, int n)
{
    for (int k = 0; k < n; k++)
        if (fscanf(file, "%lf", &x[k]) != 1) return 0;
    return 1;
}

/* One line per body: 1/m, inverse inertia, v_f; one per row: bodies, J_a, J_b, b, c, bounded,
 * normal, mu, limit. */
pegStatus peg_problem_write(const peg_problem *problem, const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file) return PEG_ERROR_FILE;
    fprintf(file, "ode-peg-problem 1\n%d %d\n", problem->nb, problem->m);
    for (int i = 0; i < problem->nb; i++) {
        write_numbers(file, &problem->mass[i].inv_mass, 1, ' ');
        write_numbers(file, problem->mass[i].inv_inertia, 9, ' ');
        write_numbers(file, problem->target[i], 6, '\n');
    }
    for (int i = 0; i < problem->m; i++) {
        const peg_lcp_row *row = &problem->row[i];
        fprintf(file, "%d %d ", row->body_a, row->body_b);
        write_numbers(file, row->Ja, 6, ' ');
        write_numbers(file, row->Jb, 6, ' ');
        write_numbers(file, (double[]){row->b, row->c}, 2, ' ');
        fprintf(file, "%d %d ", row->bounded, row->normal);
        write_numbers(file, (double[]){row->mu, row->limit}, 2, '\n');
    }
    int bad = ferror(file);
    return fclose(file) || bad ? PEG_ERROR_FILE : PEG_OK;
}

/* rows: those that were read before, and room for this one. normal counts for bounded rows with
 * mu > 0 alone: rows of joints have none. */
static int read_row(FILE *file, int nb, int index, peg_lcp_row *rows)
{
    double end[2];
    peg_lcp_row *row = &rows[index];
    *row = (peg_lcp_row){0};
    if (fscanf(file, "%d %d", &row->body_a, &row->body_b) != 2) return 0;
    if (row->body_a < -1 || row->body_a >= nb || row->body_b < -1 || row->body_b >= nb) return 0;
    if (!read_numbers(file, row->Ja, 6) || !read_numbers(file, row->Jb, 6)) return 0;
    if (!read_numbers(file, end, 2)) return 0;
    row->b = end[0], row->c = end[1];
    if (fscanf(file, "%d %d", &row->bounded, &row->normal) != 2) return 0;
    if (!read_numbers(file, end, 2)) return 0;
    row->mu = end[0], row->limit = end[1];
    int is_free = !row->bounded || row->mu == 0;
    return is_free || (row->normal >= 0 && row->normal < index && !rows[row->normal].bounded);
}

static pegStatus read_problem(peg_arena *arena, FILE *file, peg_problem *problem)
{
    int version, nb, m;
    if (fscanf(file, "ode-peg-problem %d %d %d", &version, &nb, &m) != 3) return PEG_ERROR_FILE;
    if (version != 1 || nb < 0 || m < 0) return PEG_ERROR_FILE;
    peg_mass_block *mass = PEG_NEW(arena, peg_mass_block, nb);
    peg_vec6 *target = peg_arena_alloc(arena, (size_t)nb * sizeof *target);
    peg_lcp_row *row = PEG_NEW(arena, peg_lcp_row, m);
    if (!mass || !target || !row) return PEG_ERROR_MEMORY;
    for (int i = 0; i < nb; i++)
        if (!read_numbers(file, &mass[i].inv_mass, 1) ||
            !read_numbers(file, mass[i].inv_inertia, 9) || !read_numbers(file, target[i], 6))
            return PEG_ERROR_FILE;
    for (int i = 0; i < m; i++)
        if (!read_row(file, nb, i, row)) return PEG_ERROR_FILE;
    *problem = (peg_problem){nb, m, mass, (const peg_vec6 *)target, row};
    return PEG_OK;
}

pegStatus peg_problem_read(peg_arena *arena, const char *path, peg_problem *problem)
{
    FILE *file = fopen(path, "r");
    if (!file) return PEG_ERROR_FILE;
    peg_arena_mark mark = peg_arena_here(arena);
    pegStatus status = read_problem(arena, file, problem);
    if (status != PEG_OK) peg_arena_back(arena, mark);
    fclose(file);
    return status;
}
