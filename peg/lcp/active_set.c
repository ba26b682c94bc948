/* Active set: the rows that the warm start loads, or projected Gauss-Seidel iterations, are a guess
 * of the active ones; a dual active-set method (Goldfarb, Idnani 1983) finishes exactly. Symbols
 * as in scaled.h and in the paper:
 *
 * paper   | here     | meaning
 * A       | active   | rows held at s = 0; y is the shortest vector that satisfies them, y = N u
 * u       | u        | impulses of the active rows, >= 0
 * n+, s+  | p, slack | the violated row that enters
 * z       | z        | direction of y: what of n+ is orthogonal to the active rows
 * r       | r        | direction of -u: n+ = N r + z
 * t1, t2  | t1, t2   | step at which an impulse of A ends at 0; step that satisfies row p
 *
 * Rows without finite bounds are equations: those that are independent of each other are active
 * from the start to the end, with impulses of either sign.
 *
 * Rows that depend on others need no care here: z = 0 and r says which active row the new one
 * replaces. Every entry of a row raises 1/2 |y|^2, the dual objective, so that in exact arithmetic
 * no active set occurs twice. In rounded arithmetic each further entry of the same row doubles the
 * violation it must show, so that every row enters a bounded number of times (about 50), and so
 * does each concession to a row that can neither be satisfied nor proved contradictory: the method
 * ends. What it leaves is small, and the certificate judges it. */
#include <float.h>
#include <stdlib.h>

#include "peg/base/arena.h"
#include "peg/lcp/problem.h"
#include "peg/lcp/qr.h"
#include "peg/lcp/scaled.h"

enum {
    ITERATIONS = 50, /* at most */
    SETTLED = 4,     /* iterations without a change of the active set that end them */
    FREE_ENTRIES = 4 /* entries of a row before its tolerance doubles */
};
/* Violations below this times the magnitudes in s are rounding. */
static const double ROUNDING = 64 * DBL_EPSILON;
/* The guess takes only rows that are clearly independent, 1 - |Q^T n|^2 above this. */
static const double CLEARLY = 1e-6;
/* z shorter than this times |n+| + |r| is rounding (see DEPENDENT in scaled.c). */
static const double DEPENDENT = 1e-13;
/* A row that can only be satisfied that many units away is taken for dependent (see scaled.c). */
static const double FAR_AWAY = 1e4;
/* How exactly an impulse acts, relative to it: rounding partly cancels, and this is what left the
 * smallest residuals between walls that are parallel to 1e-6 .. 1e-9. */
static const double ROUNDED_IMPULSE = 0.05 * DBL_EPSILON;
/* Entries of r, relative to the largest, below this are rounding. */
static const double NO_RATIO = 1e-12;

typedef struct finish {
    const peg_scaled *scaled;
    peg_qr qr;
    int *active;         /* q rows, in the order of the columns of Q R */
    int *entered;        /* m: how often each row entered */
    double *conceded;    /* m: violation that had to be left to a row */
    unsigned char *held; /* m: 1 if active */
    double *y;           /* n */
    double *u, *r;       /* q */
    double *weight;      /* m: impulses of these iterations, weights of a contradiction, result */
    int steps, limit;
    double products, most_products; /* of numbers, so far; at most */
} finish;

static int create(peg_arena *arena, const peg_scaled *scaled, finish *f)
{
    int n = scaled->n, m = scaled->m, rank = n < m ? n : m;
    *f = (finish){.scaled = scaled, .limit = 1000 + 50 * (n + m)};
    f->active = PEG_NEW(arena, int, rank);
    f->entered = PEG_NEW(arena, int, m);
    f->conceded = PEG_NEW(arena, double, m);
    f->held = PEG_NEW(arena, unsigned char, m);
    f->y = PEG_NEW(arena, double, n);
    f->u = PEG_NEW(arena, double, rank);
    f->r = PEG_NEW(arena, double, rank);
    f->weight = PEG_NEW(arena, double, m);
    if (!f->active || !f->entered || !f->conceded || !f->held || !f->y || !f->u || !f->r ||
        !f->weight || !peg_qr_create(arena, n, rank, &f->qr))
        return 0;
    memset(f->entered, 0, (size_t)m * sizeof *f->entered);
    memset(f->conceded, 0, (size_t)m * sizeof *f->conceded);
    memset(f->held, 0, (size_t)m);
    return 1;
}

static double length(int n, const double *y)
{
    double sum = 0;
    for (int k = 0; k < n; k++) sum += y[k] * y[k];
    return sqrt(sum);
}

/* What is left of a row without Q d: z; returns |z|. */
static double rest(finish *f, int row)
{
    f->products += 4.0 * f->scaled->n * (f->qr.q + 1);
    return peg_qr_rest(&f->qr, &f->scaled->row[row]);
}

/* A row as Q d + z; returns |z|. */
static double split(finish *f, int row)
{
    peg_qr_coefficients(&f->qr, &f->scaled->row[row]);
    return rest(f, row);
}

static int is_equation(const finish *f, int i)
{
    return f->scaled->row[i].bounded;
}

static double slack(const finish *f, int i)
{
    return peg_scaled_dot(&f->scaled->row[i], f->y) + f->scaled->row[i].beta;
}

/* One iteration over all rows; returns how many rows became active or inactive. */
static int iterate(const finish *f, double *u)
{
    int changes = 0;
    for (int i = 0; i < f->scaled->m; i++) {
        double free = u[i] - slack(f, i), next = is_equation(f, i) ? free : fmax(0, free);
        double step = next - u[i];
        if (step == 0) continue;
        changes += (next > 0) != (u[i] > 0) && !is_equation(f, i);
        peg_scaled_add(&f->scaled->row[i], step, f->y);
        u[i] = next;
    }
    return changes;
}

/* The rows that the warm start loads; where it loads none, those that iterations from zero find
 * once they settle. Returns how many it took. */
static int guess_active(finish *f, const double *lambda)
{
    int made = 0, is_loaded = 0;
    for (int i = 0; i < f->scaled->m; i++) {
        double warm = lambda[f->scaled->row[i].index] * f->scaled->row[i].root_scale;
        f->weight[i] = warm > 0 && isfinite(warm) && !is_equation(f, i) ? warm : 0;
        is_loaded |= f->weight[i] > 0;
    }
    if (is_loaded) return 0;
    memset(f->y, 0, (size_t)f->scaled->n * sizeof *f->y);
    for (int calm = 0; made < ITERATIONS && calm < SETTLED; made++)
        calm = iterate(f, f->weight) ? 0 : calm + 1;
    return made;
}

static void append(finish *f, int row, double z_length)
{
    peg_qr_append(&f->qr, z_length);
    f->active[f->qr.q - 1] = row;
    f->held[row] = 1;
}

static void drop(finish *f, int j)
{
    f->held[f->active[j]] = 0;
    peg_qr_remove(&f->qr, j);
    for (int k = j; k < f->qr.q; k++) {
        f->active[k] = f->active[k + 1];
        f->u[k] = f->u[k + 1];
    }
}

/* Makes (y, A, u) exact again and drops rows that would pull. */
static void settle(finish *f)
{
    for (;;) {
        for (int j = 0; j < f->qr.q; j++) f->qr.d[j] = -f->scaled->row[f->active[j]].beta;
        peg_qr_shortest(&f->qr, f->y, f->u);
        int worst = -1;
        double least = 0, most = 0;
        for (int j = 0; j < f->qr.q; j++) {
            most = fmax(most, fabs(f->u[j]));
            if (f->u[j] < least && !is_equation(f, f->active[j])) least = f->u[j], worst = j;
        }
        if (least >= -ROUNDING * most) break;
        drop(f, worst);
    }
    for (int j = 0; j < f->qr.q; j++)
        if (!is_equation(f, f->active[j])) f->u[j] = fmax(f->u[j], 0);
}

typedef struct candidate {
    double weight;
    int row;
} candidate;

static int heavier_first(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
    return x->row - y->row;
}

/* Starts from the rows that the iterations found active, those that carry most first. */
static int start(peg_arena *arena, finish *f)
{
    int count = 0;
    candidate *found = PEG_NEW(arena, candidate, f->scaled->m);
    if (!found) return 0;
    for (int i = 0; i < f->scaled->m; i++) {
        double length = is_equation(f, i) && f->products < f->most_products ? split(f, i) : 0;
        if (length > DEPENDENT && f->qr.q < f->qr.capacity) append(f, i, length);
        if (f->weight[i] > 0 && !is_equation(f, i)) found[count++] = (candidate){f->weight[i], i};
    }
    qsort(found, (size_t)count, sizeof *found, heavier_first);
    for (int k = 0; k < count && f->qr.q < f->qr.capacity && f->products < f->most_products; k++) {
        const peg_scaled_row *row = &f->scaled->row[found[k].row];
        if (1 - peg_qr_coefficients(&f->qr, row) <= CLEARLY) continue;
        append(f, found[k].row, rest(f, found[k].row));
    }
    settle(f);
    return 1;
}

/* The row that is violated most, beyond rounding; -1: none. */
static int most_violated(const finish *f)
{
    int worst = -1;
    double most = 0, y = length(f->scaled->n, f->y);
    for (int i = 0; i < f->scaled->m; i++) {
        if (f->held[i] || is_equation(f, i)) continue;
        double violation = -slack(f, i);
        if (!(violation > most)) continue;
        int again = f->entered[i] - FREE_ENTRIES;
        double tolerance = ldexp(ROUNDING * (f->scaled->row[i].size + y), again > 0 ? again : 0);
        if (violation > fmax(tolerance, f->conceded[i])) most = violation, worst = i;
    }
    return worst;
}

/* t1: the largest step that keeps every impulse >= 0, and which row limits it (-1: none). Of rows
 * that tie the one with the largest r goes: it keeps R best conditioned. */
static double impulse_limit(const finish *f, int *limiting)
{
    double largest = 1, t1 = INFINITY;
    for (int j = 0; j < f->qr.q; j++) largest = fmax(largest, fabs(f->r[j]));
    *limiting = -1;
    for (int j = 0; j < f->qr.q; j++) {
        if (f->r[j] <= NO_RATIO * largest || is_equation(f, f->active[j])) continue;
        double t = f->u[j] / f->r[j];
        if (t < t1 || (t == t1 && f->r[j] > f->r[*limiting])) t1 = t, *limiting = j;
    }
    return t1;
}

/* n+ = N r + z with r <= 0 and z = 0: weights 1 and -r prove a contradiction. */
static int contradicts(finish *f, int p)
{
    memset(f->weight, 0, (size_t)f->scaled->m * sizeof *f->weight);
    for (int j = 0; j < f->qr.q; j++)
        f->weight[f->active[j]] = is_equation(f, f->active[j]) ? -f->r[j] : fmax(0, -f->r[j]);
    f->weight[p] = 1;
    return peg_scaled_contradicts(f->scaled, f->weight, f->qr.z);
}

/* Whether row p, z_length from the span of the active rows, can be satisfied by a sensible step.
 * One that takes an impulse whose own rounding is as large as the violation makes nothing better.
 */
static int reachable(const finish *f, double violation, double t2)
{
    return f->qr.q < f->qr.capacity && isfinite(t2) && violation >= ROUNDED_IMPULSE * t2 &&
           t2 * length(f->scaled->nv, f->qr.z) <= FAR_AWAY * f->scaled->unit;
}

/* Brings row p in. PEG_SOLVED: it is active, or its violation is conceded. */
static peg_outcome enter(finish *f, int p)
{
    const peg_scaled *scaled = f->scaled;
    double up = 0, first = -slack(f, p);
    f->entered[p]++;
    while (f->steps++ < f->limit && f->products < f->most_products) {
        double z_length = split(f, p), sum_r = 1;
        double violation = fmax(0, -slack(f, p));
        peg_qr_solve(&f->qr, f->qr.d, f->r);
        for (int j = 0; j < f->qr.q; j++) sum_r += fabs(f->r[j]);
        int limiting;
        double t1 = impulse_limit(f, &limiting);
        double t2 = z_length > DEPENDENT * sum_r ? violation / (z_length * z_length) : INFINITY;
        if (t2 <= t1 && !reachable(f, violation, t2)) {
            if (contradicts(f, p)) return PEG_INFEASIBLE;
            f->conceded[p] = 2 * fmax(first, violation);
            settle(f);
            return PEG_SOLVED;
        }
        double t = fmin(t1, t2);
        up += t;
        for (int j = 0; j < f->qr.q; j++) {
            double next = f->u[j] - t * f->r[j];
            f->u[j] = is_equation(f, f->active[j]) ? next : fmax(0, next);
        }
        for (int k = 0; k < scaled->n; k++) f->y[k] += t * f->qr.z[k];
        if (t2 <= t1) {
            append(f, p, z_length);
            f->u[f->qr.q - 1] = up;
            return PEG_SOLVED;
        }
        drop(f, limiting);
    }
    return PEG_ITERATION_LIMIT;
}

/* Until no row is violated, also after the rounding of the steps is taken out. */
static peg_outcome finish_exactly(finish *f)
{
    for (int fresh = 1;;) {
        int p = most_violated(f);
        f->products += 12.0 * f->scaled->m;
        if (f->products >= f->most_products) return PEG_ITERATION_LIMIT;
        if (p < 0 && fresh) return PEG_SOLVED;
        if (p < 0) {
            settle(f);
            fresh = 1;
            continue;
        }
        peg_outcome outcome = enter(f, p);
        if (outcome != PEG_SOLVED) return outcome;
        fresh = 0;
    }
}

static peg_outcome solve(peg_arena *arena, const peg_problem *problem,
                         const peg_solve_options *options, peg_solution *solution)
{
    peg_scaled scaled;
    finish f;
    peg_outcome outcome = peg_scale(arena, problem, &scaled);
    if (outcome != PEG_SOLVED) return outcome;
    if (!create(arena, &scaled, &f)) return PEG_OUT_OF_MEMORY;
    f.most_products = peg_products_left(options, solution);
    int made = guess_active(&f, solution->lambda);
    if (!start(arena, &f)) return PEG_OUT_OF_MEMORY;
    outcome = finish_exactly(&f);
    solution->work += f.products / PEG_PRODUCTS_OF_WORK;
    if (outcome == PEG_INFEASIBLE) return outcome;
    solution->iterations = made + f.steps;
    if (outcome != PEG_SOLVED) return outcome;
    memset(f.weight, 0, (size_t)scaled.m * sizeof *f.weight);
    for (int j = 0; j < f.qr.q; j++) f.weight[f.active[j]] = f.u[j];
    peg_unscale(problem, &scaled, f.y, f.weight, solution);
    return PEG_SOLVED;
}

peg_outcome peg_solve_active_set(peg_arena *arena, const peg_problem *problem,
                                 const peg_solve_options *options, peg_solution *solution)
{
    peg_arena_mark mark = peg_arena_here(arena);
    peg_outcome outcome = solve(arena, problem, options, solution);
    peg_arena_back(arena, mark);
    return outcome;
}
