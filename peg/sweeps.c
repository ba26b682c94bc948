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
    double beta;
    double lo, hi, mu; /* -lo - mu u_normal <= u <= hi + mu u_normal */
    int normal;        /* itself where mu = 0 */
    int bounded;
    double soft;                  /* compliance */
    double root_scale, per_speed; /* per_speed: share of the allowed speed per impulse */
} sweep_row;

/* bodies a, b; nb: what cannot move */
typedef struct sweep_group {
    int begin, end;
    int a, b;
    int ready; /* its rows are loaded */
} sweep_group;

typedef struct sweeper {
    const peg_problem *problem;
    const peg_sweep_goal *goal;
    double *lambda; /* m: the warm start */
    int nb, groups;
    int singular;
    peg_mass_root *root;
    sweep_row *row;
    sweep_group *group;
    quad *y;                /* 2 (nb + 1) */
    double *u;              /* m */
    double largest;         /* change of an impulse in the last sweep */
    double *moved, *before; /* nb + 1: largest change in this sweep and the one before */
    unsigned char *reached; /* nb + 1: stirred up or changed */
    int *active, actives;   /* groups of such bodies */
    peg_lcp_row *filled;    /* of the group that is loaded: as many as the largest has */
    int spread;             /* in the last sweep more were reached */
} sweeper;

/* Quads lie at multiples of their size. */
static void *aligned(peg_arena *arena, size_t bytes)
{
    char *p = peg_arena_alloc(arena, bytes + sizeof(quad));
    return p ? p + (sizeof(quad) - (uintptr_t)p % sizeof(quad)) % sizeof(quad) : NULL;
}

static int allocate(peg_arena *arena, sweeper *s)
{
    int nb = s->problem->nb, m = s->problem->m, largest = 0;
    s->nb = nb;
    for (int g = 0; g < s->goal->groups; g++) {
        int rows = s->goal->group[g].end - s->goal->group[g].begin;
        if (rows > largest) largest = rows;
    }
    s->filled = PEG_NEW(arena, peg_lcp_row, largest);
    s->root = PEG_NEW(arena, peg_mass_root, nb);
    s->row = aligned(arena, (size_t)m * sizeof *s->row);
    s->group = PEG_NEW(arena, sweep_group, m);
    s->y = aligned(arena, 2 * (size_t)(nb + 1) * sizeof *s->y);
    s->u = PEG_NEW(arena, double, m);
    s->moved = PEG_NEW(arena, double, nb + 1);
    s->before = PEG_NEW(arena, double, nb + 1);
    s->reached = PEG_NEW(arena, unsigned char, nb + 1);
    s->active = PEG_NEW(arena, int, m);
    return s->root && s->row && s->group && s->y && s->u && s->moved && s->before && s->reached &&
           s->active && s->filled;
}

static double scaled_block(const peg_mass_root *root, const double *J, quad *n)
{
    double square = 0, g[STRIDE] = {0};
    peg_mass_root_row(root, J, g);
    for (int k = 0; k < 6; k++) square += g[k] * g[k];
    memcpy(n, g, sizeof g);
    return square;
}

/* Row i in unit length; false if it has no Jacobian or is no number. */
static int load_row(const sweeper *s, int i, const peg_lcp_row *from)
{
    const peg_problem *problem = s->problem;
    sweep_row *row = &s->row[i];
    int a = from->body_a, b = from->body_b;
    double scale = from->c;
    *row = (sweep_row){.beta = from->b, .hi = INFINITY, .normal = i, .bounded = from->bounded};
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
    row->lo = row->hi = from->limit * row->root_scale;
    if (from->mu == 0) return from->limit >= 0;
    if (from->normal < 0 || from->normal >= i) return 0;
    row->normal = from->normal;
    row->mu = from->mu * row->root_scale / s->row[from->normal].root_scale;
    return from->limit >= 0 && isfinite(row->mu);
}

static void add_group(sweeper *s, int begin, int end, int a, int b)
{
    int nb = s->nb;
    s->group[s->groups++] =
        (sweep_group){.begin = begin, .end = end, .a = a < 0 ? nb : a, .b = b < 0 ? nb : b};
}

static void find_groups(sweeper *s)
{
    const peg_lcp_row *row = s->problem->row;
    for (int g = 0; g < s->goal->groups; g++) {
        const peg_sweep_group *from = &s->goal->group[g];
        add_group(s, from->begin, from->end, from->a, from->b);
    }
    if (s->goal->group) return;
    for (int i = 0, end; i < s->problem->m; i = end) {
        int a = row[i].body_a, b = row[i].body_b;
        for (end = i + 1; end < s->problem->m && row[end].body_a == a && row[end].body_b == b;)
            end++;
        add_group(s, i, end, a, b);
    }
}

static inline double clamped(const sweeper *s, const sweep_row *row, double u)
{
    double more = row->mu * s->u[row->normal];
    return peg_min(peg_max(u, -row->lo - more), row->hi + more);
}

/* Friction of a contact that bears nothing. */
static inline int rubs_nothing(const sweeper *s, const sweep_row *row)
{
    return row->bounded && row->hi + row->mu * s->u[row->normal] == 0;
}

/* Loads the rows of a group with their warm start. */
static void prepare(sweeper *s, sweep_group *g)
{
    if (g->ready) return;
    g->ready = 1;
    const peg_lcp_row *from = s->goal->fill ? s->filled : s->problem->row + g->begin;
    if (s->goal->fill) s->goal->fill(s->goal->context, g->begin, g->end, s->filled);
    for (int i = g->begin; i < g->end; i++) {
        sweep_row *row = &s->row[i];
        s->u[i] = 0;
        if (!load_row(s, i, &from[i - g->begin])) {
            s->singular = 1;
            return;
        }
        row->per_speed = row->root_scale / s->goal->speed[i];
        double warm = isfinite(s->lambda[i]) ? s->lambda[i] * row->root_scale : 0;
        s->u[i] = clamped(s, row, warm);
    }
}

static int is_stirred(const sweeper *s, int body)
{
    return body < s->nb && (!s->goal->stirred || s->goal->stirred[body]);
}

/* y = F^-1 (v - v_f). */
static void set_motion(sweeper *s, int i, const double *v)
{
    double d[6], y[STRIDE] = {0};
    for (int k = 0; k < 6; k++) d[k] = v[k] - s->problem->target[i][k];
    peg_mass_root_solve(&s->root[i], d, y);
    memcpy(s->y + 2 * i, y, sizeof y);
}

/* y of the warm start where it is looked at, of v elsewhere. */
static void start(sweeper *s)
{
    memset(s->y, 0, (size_t)(2 * (s->nb + 1)) * sizeof *s->y);
    for (int n = 0; n < s->groups; n++) {
        sweep_group *g = &s->group[n];
        int a = is_stirred(s, g->a), b = is_stirred(s, g->b);
        if (!a && !b) continue;
        prepare(s, g);
        for (int i = g->begin; i < g->end && !s->singular; i++) {
            const sweep_row *row = &s->row[i];
            for (int k = 0; k < 2 && a; k++) s->y[2 * g->a + k] += s->u[i] * row->na[k];
            for (int k = 0; k < 2 && b; k++) s->y[2 * g->b + k] += s->u[i] * row->nb[k];
        }
    }
    for (int i = 0; i < s->nb; i++)
        if (!is_stirred(s, i)) set_motion(s, i, s->goal->v[i]);
}

/* Which bodies' rows are visited in the first sweep. */
static void begin_visits(sweeper *s)
{
    for (int i = 0; i < s->nb; i++) s->before[i] = is_stirred(s, i) ? INFINITY : 0;
    s->before[s->nb] = 0;
    for (int i = 0; i <= s->nb; i++) s->reached[i] = (unsigned char)is_stirred(s, i);
    s->spread = 1;
}

static void find_active(sweeper *s)
{
    if (!s->spread) return;
    s->spread = s->actives = 0;
    for (int n = 0; n < s->groups; n++)
        if (s->reached[s->group[n].a] || s->reached[s->group[n].b]) s->active[s->actives++] = n;
}

static void reach(sweeper *s, int body)
{
    if (s->reached[body] || body == s->nb) return;
    s->reached[body] = 1;
    s->spread = 1;
}

/* Nothing near the group has changed. */
static inline int is_quiet(const sweeper *s, const sweep_group *g)
{
    return s->before[g->a] <= QUIET && s->before[g->b] <= QUIET && s->moved[g->a] <= QUIET &&
           s->moved[g->b] <= QUIET;
}

/* One sweep; the largest change of a row's speed, as a share of what it may fail by. */
WIDE static double sweep(sweeper *s)
{
    double worst = 0;
    s->largest = 0;
    memset(s->moved, 0, (size_t)(s->nb + 1) * sizeof *s->moved);
    for (int n = 0; n < s->actives; n++) {
        sweep_group *g = &s->group[s->active[n]];
        if (is_quiet(s, g)) continue;
        prepare(s, g);
        int a = g->a, b = g->b;
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
            change = fabs(change);
            s->largest = peg_max(s->largest, change);
            most = peg_max(most, change * row->per_speed);
        }
        s->y[2 * a] = a0, s->y[2 * a + 1] = a1, s->y[2 * b] = b0, s->y[2 * b + 1] = b1;
        if (a < s->nb) s->moved[a] = peg_max(s->moved[a], most);
        if (b < s->nb) s->moved[b] = peg_max(s->moved[b], most);
        if (most > 0) reach(s, a), reach(s, b);
        worst = peg_max(worst, most);
    }
    double *swap = s->moved;
    s->moved = s->before;
    s->before = swap;
    return worst;
}

static void finish(const sweeper *s, peg_solution *solution)
{
    for (int i = 0; i < s->nb; i++) {
        if (!s->reached[i]) {
            memcpy(solution->v[i], s->goal->v[i], sizeof solution->v[i]);
            continue;
        }
        const double *f = s->root[i].angular;
        double y[STRIDE];
        memcpy(y, s->y + 2 * i, sizeof y);
        double v[6] = {s->root[i].linear * y[0],  s->root[i].linear * y[1],
                       s->root[i].linear * y[2],  f[0] * y[3],
                       f[1] * y[3] + f[2] * y[4], f[3] * y[3] + f[4] * y[4] + f[5] * y[5]};
        for (int k = 0; k < 6; k++) solution->v[i][k] = s->problem->target[i][k] + v[k];
    }
    for (int g = 0; g < s->groups; g++)
        for (int i = s->group[g].begin; i < s->group[g].end && s->group[g].ready; i++)
            solution->lambda[i] = s->u[i] / s->row[i].root_scale;
}

/* Whether v = 0 is the answer but for a share of what the bodies would gain in the step. */
static int rests(const sweeper *s)
{
    const double(*gained)[6] = s->goal->gained;
    double share = s->goal->rest;
    for (int i = 0; i < s->nb; i++) {
        double y[6], g[6], change[STRIDE], e = 0, unit = 0;
        memcpy(change, s->y + 2 * i, sizeof change);
        peg_mass_root_solve(&s->root[i], s->problem->target[i], y);
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
    sweeper s = {.problem = problem, .goal = goal, .lambda = solution->lambda};
    peg_outcome outcome = PEG_ITERATION_LIMIT;
    if (!allocate(arena, &s)) return PEG_OUT_OF_MEMORY;
    for (int i = 0; i < s.nb; i++) s.singular |= !peg_mass_root_of(&problem->mass[i], &s.root[i]);
    find_groups(&s);
    if (!s.singular) start(&s);
    begin_visits(&s);
    double worst = 0;
    int k = 0;
    while (outcome == PEG_ITERATION_LIMIT && k < goal->sweeps && !s.singular) {
        find_active(&s);
        worst = sweep(&s);
        k++;
        if (worst <= 1) outcome = PEG_SOLVED;
    }
    if (s.singular) {
        peg_arena_back(arena, mark);
        return PEG_SINGULAR;
    }
    finish(&s, solution);
    int resting = goal->gained && rests(&s);
    if (resting) memset(solution->v, 0, (size_t)s.nb * sizeof *solution->v);
    for (int i = 0; i < s.nb && goal->stirred; i++) goal->stirred[i] |= resting || s.reached[i];
    solution->iterations = k;
    solution->residual = s.largest;
    solution->used = PEG_SOLVER_PROJECTED;
    solution->cone = 0;
    peg_arena_back(arena, mark);
    return outcome;
}
