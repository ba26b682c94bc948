/* Equations by Cholesky factors of their envelope (George, Liu: Computer Solution of Large Sparse
 * Positive Definite Systems, chapter 4): row i of L has numbers from the first row on that shares a
 * body with one of its own. Joints follow each other along chains and arms, so that rows are short.
 *
 * Redundant rows, as of closed loops, have SHIFT on their diagonal, a compliance about the present
 * impulses: what it leaves is solved for again, a proximal point iteration, which leaves alone what
 * the equations do not determine. */
#include "peg/lcp/equations.h"

#include <math.h>
#include <string.h>

#include "peg/base/lanes.h"

/* Of rows of unit length. */
static const double SHIFT = 1e-10;
/* Numbers of a row of L, in the mean, above which Newton's method follows: nets of 20 x 20 ball
 * joints have 70, and take 2.0 ms by it and 11.3 by these factors. */
enum { WIDEST = 32 };

static inline double dot6(const double *a, const double *b)
{
    return (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) + (a[3] * b[3] + a[4] * b[4] + a[5] * b[5]);
}

/* Number j of a row's envelope. */
static inline double *at(const peg_equation *row, int j)
{
    return (double *)row->L + (j - row->first);
}

/* --- rows --- */

static void load_side(const peg_equations *e, int side, int body, const double *J,
                      peg_equation *row)
{
    row->body[side] = body;
    if (body < 0) return;
    peg_mass_root_row(&e->root[body], J, row->n[side]);
}

/* Returns 0 if the row has no scale. */
static int load_row(const peg_equations *e, const peg_lcp_row *from, peg_equation *row)
{
    double square = from->c;
    load_side(e, 0, from->body_a, from->Ja, row);
    load_side(e, 1, from->body_b, from->Jb, row);
    if (row->body[0] >= 0 && row->body[0] == row->body[1]) {
        for (int k = 0; k < 6; k++) row->n[0][k] += row->n[1][k];
        row->body[1] = -1;
    }
    for (int side = 0; side < 2; side++)
        if (row->body[side] >= 0) square += dot6(row->n[side], row->n[side]);
    if (!(square > 0) || !isfinite(square)) return 0;
    row->scale = 1 / sqrt(square);
    row->ns = sqrt(from->c) * row->scale;
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < 6 && row->body[side] >= 0; k++) row->n[side][k] *= row->scale;
    return isfinite(from->b);
}

double peg_equations_set_target(peg_equations *e, const peg_vec6 *target)
{
    double energy = 0, demand = 0;
    e->target = target;
    for (int i = 0; i < e->n; i++) {
        double y[6];
        peg_mass_root_solve(&e->root[i], target[i], y);
        energy += 0.5 * dot6(y, y);
    }
    for (int i = 0; i < e->m; i++) {
        peg_equation *row = &e->row[i];
        row->beta = (e->source[i].b + peg_lcp_speed(&e->source[i], target)) * row->scale;
        if (!(row->beta * row->beta <= demand)) demand = row->beta * row->beta;
    }
    return sqrt(energy + demand);
}

/* Where the rows begin, and their memory. */
static peg_outcome find_envelope(peg_arena *arena, peg_equations *e)
{
    int *first_of = PEG_NEW(arena, int, e->n);
    long vectors = 0;
    if (!first_of) return PEG_OUT_OF_MEMORY;
    for (int i = 0; i < e->n; i++) first_of[i] = e->m;
    for (int i = 0; i < e->m; i++) {
        peg_equation *row = &e->row[i];
        row->first = i;
        for (int side = 0; side < 2; side++) {
            int body = row->body[side];
            if (body < 0) continue;
            if (first_of[body] > i) first_of[body] = i;
            if (first_of[body] < row->first) row->first = first_of[body];
        }
        row->first -= row->first % PEG_DOUBLE_LANES;
        vectors += i / PEG_DOUBLE_LANES + 1 - row->first / PEG_DOUBLE_LANES;
        e->products += 0.5 * (i - row->first) * (i - row->first);
    }
    if (vectors * PEG_DOUBLE_LANES > (long)WIDEST * e->m) return PEG_ITERATION_LIMIT;
    peg_doubles *L = peg_arena_aligned(arena, (size_t)vectors * sizeof *L);
    if (!L) return PEG_OUT_OF_MEMORY;
    for (int i = 0; i < e->m; i++) {
        e->row[i].L = L;
        L += i / PEG_DOUBLE_LANES + 1 - e->row[i].first / PEG_DOUBLE_LANES;
    }
    return PEG_SOLVED;
}

/* Row i of N^T N below the diagonal: of rows that follow each other, those of the same bodies at
 * once. */
static void fill_row(const peg_equations *e, int i)
{
    const peg_equation *row = &e->row[i];
    int vectors = i / PEG_DOUBLE_LANES + 1 - row->first / PEG_DOUBLE_LANES;
    for (int k = 0; k < vectors; k++) row->L[k] = peg_doubles_of(0);
    for (int j = row->first; j < i;) {
        const peg_equation *next = &e->row[j];
        int a = next->body[0], b = next->body[1], begin = j;
        while (++j < i && e->row[j].body[0] == a && e->row[j].body[1] == b) continue;
        for (int k = 0; k < 2; k++)
            for (int l = 0; l < 2; l++) {
                if (row->body[k] < 0 || row->body[k] != next->body[l]) continue;
                for (int q = begin; q < j; q++) *at(row, q) += dot6(row->n[k], e->row[q].n[l]);
            }
    }
}

/* --- factors --- */

/* Sum of the products of the numbers of two rows of L before column `end`, where a vector begins.
 */
PEG_HOT double inner(const peg_equation *i, const peg_equation *j, int end)
{
    int begin = i->first > j->first ? i->first : j->first;
    const peg_doubles *a = i->L + (begin - i->first) / PEG_DOUBLE_LANES;
    const peg_doubles *b = j->L + (begin - j->first) / PEG_DOUBLE_LANES;
    peg_doubles sum = peg_doubles_of(0);
    for (int k = begin; k < end; k += PEG_DOUBLE_LANES) sum += *a++ * *b++;
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* The numbers of row i of L in the vector that begins with column j. They are written in one: a
 * processor waits where it reads a vector whose numbers were written one by one. */
PEG_HOT void eliminate_vector(const peg_equations *e, const peg_equation *row, int i, int j)
{
    peg_doubles *S = row->L + (j - row->first) / PEG_DOUBLE_LANES;
    double found[PEG_DOUBLE_LANES] = {0};
    for (int q = 0; q < PEG_DOUBLE_LANES && j + q < i; q++) {
        const peg_equation *above = &e->row[j + q];
        double sum = ((const double *)S)[q] - inner(row, above, j);
        for (int p = 0; p < q; p++) sum -= found[p] * *at(above, j + p);
        found[q] = sum * above->inverse;
    }
    *S = (peg_doubles){found[0], found[1], found[2], found[3]};
}

/* Row by row; numbers at and behind the diagonal of a row are 0. Returns 0 if the matrix is not
 * positive definite. */
PEG_WIDE static int factorise(peg_equations *e)
{
    for (int i = 0; i < e->m; i++) {
        peg_equation *row = &e->row[i];
        double square = row->ns * row->ns + SHIFT;
        fill_row(e, i);
        for (int j = row->first; j < i; j += PEG_DOUBLE_LANES) eliminate_vector(e, row, i, j);
        for (int side = 0; side < 2; side++)
            if (row->body[side] >= 0) square += dot6(row->n[side], row->n[side]);
        square -= inner(row, row, i);
        if (!(square > 0)) return 0;
        row->inverse = 1 / sqrt(square);
    }
    return 1;
}

/* x := (L L^T)^-1 x. */
PEG_WIDE static void substitute(peg_equations *e)
{
    double *x = (double *)e->x;
    for (int i = 0; i < e->m; i++) {
        const peg_equation *row = &e->row[i];
        const peg_doubles *known = e->x + row->first / PEG_DOUBLE_LANES;
        peg_doubles sum = peg_doubles_of(0);
        for (int k = 0; PEG_DOUBLE_LANES * k < i - row->first; k++) sum += row->L[k] * known[k];
        x[i] = (x[i] - ((sum[0] + sum[1]) + (sum[2] + sum[3]))) * row->inverse;
    }
    for (int i = e->m - 1; i >= 0; i--) {
        const peg_equation *row = &e->row[i];
        peg_doubles *to = e->x + row->first / PEG_DOUBLE_LANES;
        double by = x[i] *= row->inverse;
        for (int k = 0; PEG_DOUBLE_LANES * k < i - row->first; k++) to[k] -= by * row->L[k];
    }
}

/* --- solution --- */

/* s, and the largest of it. */
static double find_speeds(peg_equations *e)
{
    double most = 0;
    memset(e->y, 0, (size_t)e->n * sizeof *e->y);
    for (int i = 0; i < e->m; i++) {
        const peg_equation *row = &e->row[i];
        for (int side = 0; side < 2; side++) {
            if (row->body[side] < 0) continue;
            double *y = e->y[row->body[side]];
            for (int k = 0; k < 6; k++) y[k] += e->u[i] * row->n[side][k];
        }
    }
    for (int i = 0; i < e->m; i++) {
        const peg_equation *row = &e->row[i];
        double s = row->beta + row->ns * row->ns * e->u[i];
        for (int side = 0; side < 2; side++)
            if (row->body[side] >= 0) s += dot6(row->n[side], e->y[row->body[side]]);
        e->s[i] = s;
        if (!(fabs(s) <= most)) most = isnan(s) ? INFINITY : fabs(s);
    }
    return most;
}

double peg_equations_solve(peg_equations *e, const double *lambda, double enough)
{
    double last = INFINITY, *x = (double *)e->x;
    for (int i = 0; i < e->m; i++) {
        double warm = lambda[i] / e->row[i].scale;
        e->u[i] = isfinite(warm) ? warm : 0;
    }
    for (int k = 0; k < PEG_SOLUTIONS; k++) {
        double most = find_speeds(e);
        if (!(most > enough && most < PEG_GETS_ON * last)) return most;
        last = most;
        for (int i = 0; i < e->m; i++) x[i] = -e->s[i];
        substitute(e);
        for (int i = 0; i < e->m; i++) e->u[i] += x[i];
    }
    return find_speeds(e);
}

void peg_equations_take(const peg_equations *e, peg_vec6 *v, double *lambda)
{
    for (int i = 0; i < e->n; i++) peg_mass_root_velocity(&e->root[i], e->y[i], e->target[i], v[i]);
    for (int i = 0; i < e->m; i++) lambda[i] = e->u[i] * e->row[i].scale;
}

/* x := (L L^T)^-1 x, of four right sides. */
PEG_HOT void substitute_four(const peg_equations *e, peg_doubles *x)
{
    for (int i = 0; i < e->m; i++) {
        const peg_equation *row = &e->row[i];
        peg_doubles sum = x[i];
        for (int j = row->first; j < i; j++) sum -= *at(row, j) * x[j];
        x[i] = sum * row->inverse;
    }
    for (int i = e->m - 1; i >= 0; i--) {
        const peg_equation *row = &e->row[i];
        x[i] *= row->inverse;
        for (int j = row->first; j < i; j++) x[j] -= *at(row, j) * x[i];
    }
}

PEG_WIDE static void respond(const peg_equations *e, const peg_impulse *impulse, peg_doubles *x,
                             peg_doubles (*y)[6])
{
    for (int i = 0; i < e->m; i++) {
        const peg_equation *row = &e->row[i];
        x[i] = peg_doubles_of(0);
        for (int a = 0; a < 2; a++)
            for (int b = 0; b < 2; b++) {
                if (row->body[a] < 0 || row->body[a] != impulse->body[b]) continue;
                for (int k = 0; k < 6; k++) x[i] -= row->n[a][k] * impulse->n[b][k];
            }
    }
    substitute_four(e, x);
    for (int i = 0; i < e->n; i++)
        for (int k = 0; k < 6; k++) y[i][k] = peg_doubles_of(0);
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < 6 && impulse->body[side] >= 0; k++)
            y[impulse->body[side]][k] += impulse->n[side][k];
    for (int i = 0; i < e->m; i++) {
        const peg_equation *row = &e->row[i];
        for (int side = 0; side < 2; side++)
            for (int k = 0; k < 6 && row->body[side] >= 0; k++)
                y[row->body[side]][k] += row->n[side][k] * x[i];
    }
}

void peg_equations_respond(const peg_equations *e, const peg_impulse *impulse, peg_doubles *x,
                           peg_doubles (*y)[6])
{
    respond(e, impulse, x, y);
}

/* --- problems --- */

peg_outcome peg_equations_create(peg_arena *arena, const peg_problem *problem,
                                 const peg_mass_root *root, peg_equations *e)
{
    int m = problem->m, vectors = (m + PEG_DOUBLE_LANES - 1) / PEG_DOUBLE_LANES;
    *e = (peg_equations){.n = problem->nb, .m = m, .source = problem->row, .root = root};
    e->row = PEG_NEW(arena, peg_equation, m);
    e->x = peg_arena_aligned(arena, (size_t)vectors * sizeof *e->x);
    e->u = PEG_NEW(arena, double, m);
    e->s = PEG_NEW(arena, double, m);
    e->y = PEG_NEW(arena, peg_vec6, e->n);
    if (!e->row || !e->x || !e->u || !e->s || !e->y) return PEG_OUT_OF_MEMORY;
    if (vectors) e->x[vectors - 1] = peg_doubles_of(0);
    for (int i = 0; i < m; i++)
        if (!load_row(e, &problem->row[i], &e->row[i])) return PEG_SINGULAR;
    if (!isfinite(peg_equations_set_target(e, problem->target))) return PEG_SINGULAR;
    peg_outcome outcome = find_envelope(arena, e);
    if (outcome != PEG_SOLVED) return outcome;
    return factorise(e) ? PEG_SOLVED : PEG_SINGULAR;
}

peg_outcome peg_solve_equations(peg_arena *arena, const peg_problem *problem,
                                const peg_norms *norms, double tolerance, peg_solution *solution)
{
    peg_equations e;
    if (!norms->are_good) return PEG_SINGULAR;
    peg_arena_mark mark = peg_arena_here(arena);
    peg_outcome outcome = peg_equations_create(arena, problem, norms->mass, &e);
    if (outcome == PEG_SOLVED) {
        peg_equations_solve(&e, solution->lambda, PEG_ROUNDED_RESIDUAL * tolerance);
        peg_equations_take(&e, solution->v, solution->lambda);
        solution->work += e.products / PEG_PRODUCTS_OF_WORK;
    }
    peg_arena_back(arena, mark);
    return outcome;
}
