#include "tests/lcp_cases.h"

/* splitmix64 */
static uint64_t next(uint64_t *seed)
{
    uint64_t x = *seed += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

double case_uniform(uint64_t *seed, double low, double high)
{
    return low + (high - low) * (double)(next(seed) >> 11) * 0x1p-53;
}

int case_integer(uint64_t *seed, int low, int high)
{
    return low + (int)(next(seed) % (uint64_t)(high - low + 1));
}

static void attach(lcp_case *c, int nb)
{
    c->problem = (peg_problem){nb, 0, c->mass, (const double(*)[6])c->target, c->row};
}

/* Inverse inertia a + b u u^T with a random direction u: positive definite. */
void case_bodies(lcp_case *c, uint64_t *seed, int nb, double decades)
{
    attach(c, nb);
    for (int i = 0; i < nb; i++) {
        double inverse = pow(10, case_uniform(seed, -decades, decades)), u[3];
        double inertia = inverse * case_uniform(seed, 1, 10), more = case_uniform(seed, 0, 10);
        for (int k = 0; k < 3; k++) u[k] = case_uniform(seed, -1, 1);
        c->mass[i].inv_mass = inverse;
        for (int k = 0; k < 9; k++)
            c->mass[i].inv_inertia[k] = inertia * ((k % 4 == 0) + more * u[k / 3] * u[k % 3]);
        for (int k = 0; k < 6; k++) c->target[i][k] = case_uniform(seed, -1, 1);
    }
}

void case_add_row(lcp_case *c, peg_lcp_row row)
{
    if (c->problem.m < CASE_ROWS) c->row[c->problem.m++] = row;
}

void case_add_random_row(lcp_case *c, uint64_t *seed, int integers)
{
    peg_lcp_row row = {0};
    row.body_a = case_integer(seed, 0, c->problem.nb - 1);
    row.body_b = case_integer(seed, -1, c->problem.nb - 1);
    if (row.body_b == row.body_a) row.body_b = -1;
    for (int k = 0; k < 6; k++) {
        row.Ja[k] = integers ? case_integer(seed, -1, 1) : case_uniform(seed, -1, 1);
        row.Jb[k] = integers ? case_integer(seed, -1, 1) : case_uniform(seed, -1, 1);
    }
    row.Ja[case_integer(seed, 0, 5)] = 1;
    row.b = integers ? case_integer(seed, -1, 1) : case_uniform(seed, -1, 1);
    case_add_row(c, row);
}

void case_add_contact(lcp_case *c, int a, int b, const double *pa, const double *pb,
                      const double *n, double bound)
{
    peg_lcp_row row = {.body_a = a, .body_b = b, .b = bound};
    peg_copy3(n, row.Ja);
    peg_cross(pa, n, row.Ja + 3);
    for (int k = 0; k < 3; k++) row.Jb[k] = -n[k];
    peg_cross(pb, row.Jb, row.Jb + 3);
    case_add_row(c, row);
}

static void unit_box(lcp_case *c, int i, double mass)
{
    c->mass[i] = (peg_mass_block){1 / mass, {6 / mass, 0, 0, 0, 6 / mass, 0, 0, 0, 6 / mass}};
    memcpy(c->target[i], (double[]){0, 0, -0.981, 0, 0, 0}, sizeof c->target[i]);
}

void case_stack(lcp_case *c, int count, int points, double mass_ratio)
{
    static const double up[3] = {0, 0, 1};
    attach(c, count);
    for (int i = 0; i < count; i++) {
        unit_box(c, i, pow(mass_ratio, count > 1 ? i / (count - 1.0) : 0));
        for (int k = 0; k < points * points; k++) {
            double x = k % points / (points - 1.0) - 0.5, y = k / points / (points - 1.0) - 0.5;
            case_add_contact(c, i, i - 1, (double[]){x, y, -0.5}, (double[]){x, y, 0.5}, up, 0);
        }
    }
}

void case_walls(lcp_case *c, double speed)
{
    case_stack(c, 1, 2, 1);
    for (int k = 0; k < 8; k++) {
        double side = k % 2 ? 0.5 : -0.5, n[3] = {k % 2 ? -1 : 1, 0, 0};
        double p[3] = {side, k & 2 ? 0.5 : -0.5, k & 4 ? 0.5 : -0.5};
        case_add_contact(c, 0, -1, p, p, n, -speed);
    }
}

void case_clear(case_solution *s)
{
    memset(s, 0, sizeof *s);
    s->solution.v = s->v;
    s->solution.lambda = s->lambda;
}

double case_difference(const lcp_case *c, const case_solution *a, const case_solution *b)
{
    double worst = 0;
    for (int i = 0; i < c->problem.nb; i++)
        for (int k = 0; k < 6; k++) {
            double inverse = k < 3 ? c->mass[i].inv_mass : c->mass[i].inv_inertia[4 * (k - 3)];
            double d = fabs(a->v[i][k] - b->v[i][k]) / sqrt(inverse);
            if (!(d <= worst)) worst = isnan(d) ? INFINITY : d;
        }
    return worst / peg_residual_unit(&c->problem);
}
