/* Projected Gauss-Seidel for large islands: rows by body blocks, bounds that follow the normal
 * impulses, and no work where nothing changes: rows of two bodies that no row has moved since the
 * last visit are passed over. y = F^-1 (v - v_f) as in scaled.h; bodies that cannot move share one
 * block of zeros. */
#include "peg/sweeps.h"

#include <stdint.h>

#include "peg/scaled.h"

/* Over-relaxation: of the factors .8 to 1.6 those from 1.3 to 1.5 take the fewest visits of rows.
 */
static const double FURTHER = 1.3;

/* Changes below this share of the tolerance do not call for another visit. */
static const double QUIET = 0.1;

/* Velocities and rows of a body in two vectors of four, the last two numbers 0: the machine adds
 * and multiplies them at once, in the same order with any instruction set. */
typedef double quad __attribute__((vector_size(32)));
enum { STRIDE = 8 };

/* The hot loop once more for processors with wider registers: the same bits. */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) &&                 \
    !defined(__SANITIZE_THREAD__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

typedef struct sweep_row {
    quad na[2], nb[2];
    double beta, mu, limit; /* bounded: |u| <= limit + mu u of the normal row; else limit is < 0 */
    int normal;
    double soft;                  /* compliance */
    double root_scale, per_speed; /* per_speed: share of the allowed speed per impulse */
} sweep_row;

/* Rows of two bodies that follow each other. */
typedef struct sweep_group {
    int begin, end;
    int a, b; /* bodies; nb: what cannot move */
} sweep_group;

typedef struct sweeper {
    int nb, m, groups;
    peg_mass_root *root;
    sweep_row *row;
    sweep_group *group;
    quad *y;                /* 2 (nb + 1) */
    double *u;              /* m */
    double largest;         /* change of an impulse in the last sweep */
    double *moved, *before; /* nb + 1: largest change in this sweep and the one before */
} sweeper;

/* Quads lie at multiples of their size. */
static void *aligned(peg_arena *arena, size_t bytes)
{
    char *p = peg_arena_alloc(arena, bytes + sizeof(quad));
    return p ? p + (sizeof(quad) - (uintptr_t)p % sizeof(quad)) % sizeof(quad) : NULL;
}

static int allocate(peg_arena *arena, const peg_problem *problem, sweeper *s)
{
    int nb = problem->nb, m = problem->m;
    *s = (sweeper){.nb = nb, .m = m};
    s->root = PEG_NEW(arena, peg_mass_root, nb);
    s->row = aligned(arena, (size_t)m * sizeof *s->row);
    s->group = PEG_NEW(arena, sweep_group, m);
    s->y = aligned(arena, 2 * (size_t)(nb + 1) * sizeof *s->y);
    s->u = PEG_NEW(arena, double, m);
    s->moved = PEG_NEW(arena, double, nb + 1);
    s->before = PEG_NEW(arena, double, nb + 1);
    return s->root && s->row && s->group && s->y && s->u && s->moved && s->before;
}

static double scaled_block(const peg_mass_root *root, const double *J, quad *n)
{
    double square = 0, g[STRIDE] = {0};
    peg_mass_root_row(root, J, g);
    for (int k = 0; k < 6; k++) square += g[k] * g[k];
    memcpy(n, g, sizeof g);
    return square;
}

/* Row i of the problem in unit length; false if it has no Jacobian or is no number. */
static int load_row(const peg_problem *problem, const sweeper *s, int i)
{
    const peg_lcp_row *from = &problem->row[i];
    sweep_row *row = &s->row[i];
    int a = from->body_a, b = from->body_b;
    double scale = from->c;
    *row = (sweep_row){.beta = from->b, .limit = -1, .normal = -1};
    if (a == b) return 0;
    if (a >= 0) {
        scale += scaled_block(&s->root[a], from->Ja, row->na);
        for (int k = 0; k < 6; k++) row->beta += from->Ja[k] * problem->target[a][k];
    }
    if (b >= 0) {
        scale += scaled_block(&s->root[b], from->Jb, row->nb);
        for (int k = 0; k < 6; k++) row->beta += from->Jb[k] * problem->target[b][k];
    }
    if (!(scale > 0) || !isfinite(scale) || !isfinite(row->beta)) return 0;
    row->root_scale = sqrt(scale);
    double f = 1 / row->root_scale;
    for (int k = 0; k < 2; k++) row->na[k] *= f, row->nb[k] *= f;
    row->beta *= f;
    row->soft = from->c * f * f;
    if (!from->bounded) return 1;
    row->limit = from->limit * row->root_scale;
    if (from->mu == 0) return from->limit >= 0;
    if (from->normal < 0 || from->normal >= i) return 0;
    row->normal = from->normal;
    row->mu = from->mu * row->root_scale / s->row[from->normal].root_scale;
    return from->limit >= 0 && isfinite(row->mu);
}

static int load(const peg_problem *problem, sweeper *s)
{
    int nb = problem->nb;
    for (int i = 0; i < nb; i++)
        if (!peg_mass_root_of(&problem->mass[i], &s->root[i])) return 0;
    for (int i = 0; i < s->m; i++) {
        const peg_lcp_row *from = &problem->row[i];
        if (!load_row(problem, s, i)) return 0;
        int a = from->body_a < 0 ? nb : from->body_a, b = from->body_b < 0 ? nb : from->body_b;
        sweep_group *last = s->groups ? &s->group[s->groups - 1] : NULL;
        if (!last || last->a != a || last->b != b)
            s->group[s->groups++] = (sweep_group){.begin = i, .a = a, .b = b};
        s->group[s->groups - 1].end = i + 1;
    }
    return 1;
}

static double bound(const sweeper *s, const sweep_row *row)
{
    return row->limit + (row->normal >= 0 ? row->mu * s->u[row->normal] : 0);
}

static void add(sweeper *s, const sweep_group *g, const sweep_row *row, double t)
{
    quad *ya = s->y + 2 * g->a, *yb = s->y + 2 * g->b;
    for (int k = 0; k < 2; k++) ya[k] += t * row->na[k], yb[k] += t * row->nb[k];
}

static void start(const double *lambda, sweeper *s)
{
    memset(s->y, 0, (size_t)(2 * (s->nb + 1)) * sizeof *s->y);
    for (int g = 0; g < s->groups; g++)
        for (int i = s->group[g].begin; i < s->group[g].end; i++) {
            const sweep_row *row = &s->row[i];
            double warm = isfinite(lambda[i]) ? lambda[i] * row->root_scale : 0;
            double hi = row->limit < 0 ? INFINITY : bound(s, row), lo = row->limit < 0 ? 0 : -hi;
            s->u[i] = peg_clamp(warm, lo, hi);
            if (s->u[i] != 0) add(s, &s->group[g], row, s->u[i]);
        }
}

static inline double clamped(const sweeper *s, const sweep_row *row, double u)
{
    if (row->limit < 0) return u > 0 ? u : 0;
    double hi = bound(s, row);
    return u > hi ? hi : u < -hi ? -hi : u;
}

/* Friction of a contact that bears nothing. */
static inline int rubs_nothing(const sweeper *s, const sweep_row *row)
{
    return row->limit >= 0 && bound(s, row) == 0;
}

/* One sweep; the largest change of a row's speed, as a share of what it may fail by. */
WIDE static double sweep(sweeper *s)
{
    double worst = 0;
    s->largest = 0;
    memset(s->moved, 0, (size_t)(s->nb + 1) * sizeof *s->moved);
    for (int n = 0; n < s->groups; n++) {
        const sweep_group *g = &s->group[n];
        int a = g->a, b = g->b;
        if (s->before[a] <= QUIET && s->before[b] <= QUIET && s->moved[a] <= QUIET &&
            s->moved[b] <= QUIET)
            continue;
        double most = 0;
        quad a0 = s->y[2 * a], a1 = s->y[2 * a + 1], b0 = s->y[2 * b], b1 = s->y[2 * b + 1];
        for (int i = g->begin; i < g->end; i++) {
            const sweep_row *row = &s->row[i];
            if (s->u[i] == 0 && rubs_nothing(s, row)) continue;
            quad q = row->na[0] * a0 + row->na[1] * a1 + (row->nb[0] * b0 + row->nb[1] * b1);
            double r = row->beta + row->soft * s->u[i] + ((q[0] + q[1]) + (q[2] + q[3]));
            double change = clamped(s, row, s->u[i] - FURTHER * r) - s->u[i];
            if (change == 0) continue;
            s->u[i] += change;
            a0 += change * row->na[0], a1 += change * row->na[1];
            b0 += change * row->nb[0], b1 += change * row->nb[1];
            if (change < 0) change = -change;
            if (change > s->largest) s->largest = change;
            double share = change * row->per_speed;
            if (share > most) most = share;
        }
        s->y[2 * a] = a0, s->y[2 * a + 1] = a1, s->y[2 * b] = b0, s->y[2 * b + 1] = b1;
        if (most > s->moved[a] && a < s->nb) s->moved[a] = most;
        if (most > s->moved[b] && b < s->nb) s->moved[b] = most;
        if (most > worst) worst = most;
    }
    double *swap = s->moved;
    s->moved = s->before;
    s->before = swap;
    return worst;
}

static void finish(const peg_problem *problem, const sweeper *s, peg_solution *solution)
{
    for (int i = 0; i < s->nb; i++) {
        const double *f = s->root[i].angular;
        double y[STRIDE];
        memcpy(y, s->y + 2 * i, sizeof y);
        double v[6] = {s->root[i].linear * y[0],  s->root[i].linear * y[1],
                       s->root[i].linear * y[2],  f[0] * y[3],
                       f[1] * y[3] + f[2] * y[4], f[3] * y[3] + f[4] * y[4] + f[5] * y[5]};
        for (int k = 0; k < 6; k++) solution->v[i][k] = problem->target[i][k] + v[k];
    }
    for (int i = 0; i < s->m; i++) solution->lambda[i] = s->u[i] / s->row[i].root_scale;
}

/* Whether v = 0 is the answer but for a share of what the bodies would gain in the step. */
static int rests(const peg_problem *problem, const sweeper *s, const double (*gained)[6],
                 double share)
{
    for (int i = 0; i < s->nb; i++) {
        double y[6], g[6], change[STRIDE], e = 0, unit = 0;
        memcpy(change, s->y + 2 * i, sizeof change);
        peg_mass_root_solve(&s->root[i], problem->target[i], y);
        peg_mass_root_solve(&s->root[i], gained[i], g);
        for (int k = 0; k < 6; k++) {
            double left = y[k] + change[k];
            e += left * left;
            unit += g[k] * g[k];
        }
        if (!(e <= share * share * unit)) return 0;
    }
    return 1;
}

peg_outcome peg_solve_sweeps(peg_arena *arena, const peg_problem *problem,
                             const peg_sweep_goal *goal, peg_solution *solution)
{
    peg_arena_mark mark = peg_arena_here(arena);
    sweeper s;
    peg_outcome outcome = PEG_ITERATION_LIMIT;
    if (!allocate(arena, problem, &s)) return PEG_OUT_OF_MEMORY;
    if (!load(problem, &s)) {
        peg_arena_back(arena, mark);
        return PEG_SINGULAR;
    }
    start(solution->lambda, &s);
    for (int i = 0; i <= s.nb; i++) s.before[i] = INFINITY;
    s.before[s.nb] = 0;
    for (int i = 0; i < s.m; i++) s.row[i].per_speed = s.row[i].root_scale / goal->speed[i];
    double worst = 0;
    int k = 0;
    while (outcome == PEG_ITERATION_LIMIT && k < goal->sweeps) {
        worst = sweep(&s);
        k++;
        if (worst <= 1) outcome = PEG_SOLVED;
    }
    finish(problem, &s, solution);
    if (goal->gained && rests(problem, &s, goal->gained, goal->rest))
        memset(solution->v, 0, (size_t)s.nb * sizeof *solution->v);
    solution->iterations = k;
    solution->residual = s.largest;
    solution->used = PEG_SOLVER_PROJECTED;
    solution->cone = 0;
    peg_arena_back(arena, mark);
    return outcome;
}
