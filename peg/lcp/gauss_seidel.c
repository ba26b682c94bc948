/* Projected Gauss-Seidel for large islands: rows by body blocks, bounds that follow the normal
 * impulses, and no work where nothing changes: rows of two bodies that no row has moved since the
 * last visit are passed over.
 *
 * The rows of a contact are visited at once: their rates at the y before are found side by side,
 * and the products of the rows tell what the changes of the first ones add to the later ones'. */
#include "peg/lcp/gauss_seidel.h"

#include "peg/base/arena.h"
#include "peg/base/lanes.h"
#include "peg/lcp/scaled.h"

/* y = F^-1 (v - v_f) as in scaled.h, where rows are n = F^T G^T, not of unit length; bodies that
 * cannot move share one block of zeros. */

/* Numbers of bodies and rows in vectors of four: the machine adds and multiplies them at once, in
 * the same order with any instruction set. Those of a body are six and two zeros, of a row twelve.
 */
typedef double quad __attribute__((vector_size(32)));
enum { STRIDE = 8, CONTACT = 3 };

/* Four numbers of two quads, counted from the first one on. */
#ifdef __clang__
#define PICK(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#else
typedef long long lanes __attribute__((vector_size(32)));
#define PICK(a, b, i, j, k, l) __builtin_shuffle(a, b, (lanes){i, j, k, l})
#endif

#define HOT static inline __attribute__((always_inline))

typedef struct pgs_row {
    union {
        quad q[3];
        double d[12];
    } n;
    double before[CONTACT - 1]; /* products with the rows one and two places before, if visited with
                                   these */
    double beta, soft;          /* the row's speed is n.y + beta + soft lambda; soft: compliance */
    double scale, gain;         /* n.n + soft; FURTHER over that */
    double lo, hi, mu;          /* -lo - mu lambda_normal <= lambda <= hi + mu lambda_normal */
    double per_speed;           /* share of the allowed speed per impulse */
    int bounded;
    int normal;   /* the normal row is so many places before; 0: there is none */
    int together; /* rows from here on that are visited at once */
} pgs_row;

/* bodies a, b; nb: what cannot move */
typedef struct pgs_group {
    int begin, end;
    int a, b;
    int ready; /* its rows are loaded */
    peg_pgs_cache *pgs;
    pgs_row *row;
} pgs_group;

/* Over-relaxation: of the factors .8 to 1.6 those from 1.3 to 1.5 take the fewest visits of rows.
 */
static const double FURTHER = 1.3;

/* Changes below this share of the tolerance do not call for another visit. */
static const double QUIET = 0.1;

/* Share of the largest change that the iterations of goal.stall must take from it. Without,
 * container of 40 with mu infinite takes 0.8 s for 3 s at h .02 instead of 0.35. */
static const double GETS_ON = 0.3;

struct peg_pgs_cache {
    int ready;
    pgs_row *row;
};

peg_pgs_cache *peg_pgs_cache_create(peg_arena *arena, int rows)
{
    peg_pgs_cache *cache = PEG_NEW(arena, peg_pgs_cache, 1);
    if (!cache) return NULL;
    cache->ready = 0;
    cache->row = peg_arena_aligned(arena, (size_t)rows * sizeof *cache->row);
    return cache->row ? cache : NULL;
}

typedef struct pgs_state {
    const peg_problem *problem;
    const peg_pgs_goal *goal;
    const double *warm; /* m: the warm start */
    int nb, groups;
    int singular;
    peg_mass_root *root;
    pgs_row *row; /* of groups whose rows nobody keeps, so many */
    int rows;
    pgs_group *group;
    double *y;              /* STRIDE (nb + 1) */
    double *target;         /* the same of v_f */
    double *lambda;         /* m */
    double largest;         /* change of an impulse in the last iteration, squared, J */
    double sum;             /* of all these changes, squared, J */
    double *moved, *before; /* nb + 1: largest change in this iteration and the one before */
    unsigned char *reached; /* nb + 1: dirty up or changed */
    int *active, actives;   /* groups of such bodies */
    peg_lcp_row *filled;    /* of the group that is loaded: as many as the largest has */
    int spread;             /* in the last iteration more were reached */
    int iterations;         /* so far */
    long visits;            /* of rows */
} pgs_state;

/* at: where the row's impulse is. */
HOT double clamped(const pgs_row *row, const double *at, double lambda)
{
    double more = row->mu * at[-row->normal];
    return peg_min(peg_max(lambda, -row->lo - more), row->hi + more);
}

/* What the group's rows see of y. */
HOT void gather(const pgs_state *s, const pgs_group *g, quad y[3])
{
    const quad *a = (const quad *)(s->y + STRIDE * g->a), *b = (const quad *)(s->y + STRIDE * g->b);
    y[0] = a[0];
    y[1] = PICK(a[1], b[0], 0, 1, 4, 5);
    y[2] = PICK(b[0], b[1], 2, 3, 4, 5);
}

/* m/s */
HOT double speed_of(const pgs_row *row, double lambda, const quad y[3])
{
    quad q = row->n.q[0] * y[0] + row->n.q[1] * y[1] + row->n.q[2] * y[2];
    return row->beta + row->soft * lambda + ((q[0] + q[1]) + (q[2] + q[3]));
}

static int allocate(peg_arena *arena, pgs_state *s)
{
    int nb = s->problem->nb, m = s->problem->m, largest = 0, kept = 0;
    s->nb = nb;
    for (int g = 0; g < s->goal->groups; g++) {
        int rows = s->goal->group[g].end - s->goal->group[g].begin;
        if (rows > largest) largest = rows;
        if (s->goal->group[g].pgs) kept += rows;
    }
    s->filled = PEG_NEW(arena, peg_lcp_row, largest);
    s->root = PEG_NEW(arena, peg_mass_root, nb);
    s->row = peg_arena_aligned(arena, (size_t)(m - kept) * sizeof *s->row);
    s->group = PEG_NEW(arena, pgs_group, m);
    s->y = peg_arena_aligned(arena, STRIDE * (size_t)(nb + 1) * sizeof *s->y);
    s->target = peg_arena_aligned(arena, STRIDE * (size_t)(nb + 1) * sizeof *s->target);
    s->lambda = PEG_NEW(arena, double, m);
    s->moved = PEG_NEW(arena, double, nb + 1);
    s->before = PEG_NEW(arena, double, nb + 1);
    s->reached = PEG_NEW(arena, unsigned char, nb + 1);
    s->active = PEG_NEW(arena, int, m);
    return s->root && s->row && s->group && s->y && s->target && s->lambda && s->moved &&
           s->before && s->reached && s->active && s->filled;
}

/* One of the row's two blocks. */
static void load_block(const pgs_state *s, int body, const double *J, double *n, pgs_row *row)
{
    peg_mass_root_row(&s->root[body], J, n);
    for (int k = 0; k < 6; k++) row->scale += n[k] * n[k];
}

/* Row i; false if it has no Jacobian or is no number. */
static int load_row(const pgs_state *s, int i, const peg_lcp_row *from, pgs_row *row)
{
    int a = from->body_a, b = from->body_b;
    *row = (pgs_row){
        .soft = from->c, .scale = from->c, .hi = INFINITY, .bounded = from->bounded, .together = 1};
    if (a == b) return 0;
    if (a >= 0) load_block(s, a, from->Ja, row->n.d, row);
    if (b >= 0) load_block(s, b, from->Jb, row->n.d + 6, row);
    if (!(row->scale > 0) || !isfinite(row->scale)) return 0;
    row->gain = FURTHER / row->scale;
    if (!from->bounded) return 1;
    int has_normal = from->normal >= 0 && from->normal < i;
    row->normal = has_normal ? i - from->normal : 0;
    return has_normal || from->mu == 0;
}

/* What each solve asks of row i anew. */
static int set_row(const pgs_state *s, const pgs_group *g, int i, const peg_lcp_row *from)
{
    pgs_row *row = &g->row[i - g->begin];
    const double *ta = s->target + STRIDE * g->a, *tb = s->target + STRIDE * g->b;
    row->beta = from->b;
    for (int k = 0; k < 6; k++) row->beta += row->n.d[k] * ta[k] + row->n.d[6 + k] * tb[k];
    row->per_speed = row->scale / s->goal->speed[i];
    if (row->bounded) row->lo = row->hi = from->limit, row->mu = from->mu;
    return isfinite(row->beta) && row->hi >= 0 && isfinite(row->mu);
}

static double product(const pgs_row *a, const pgs_row *b)
{
    double sum = 0;
    for (int k = 0; k < 12; k++) sum += a->n.d[k] * b->n.d[k];
    return sum;
}

/* A normal row and the two friction rows that follow are visited at once. */
static void join_contact(const pgs_group *g, int i)
{
    pgs_row *row = &g->row[i - g->begin];
    int n = 1;
    while (i + n < g->end && row[n].normal == n) n++;
    if (n != CONTACT) return;
    row->together = n;
    row[1].before[0] = product(&row[1], row);
    row[2].before[0] = product(&row[2], row + 1);
    row[2].before[1] = product(&row[2], row);
}

static void add_group(pgs_state *s, const peg_pgs_group *from)
{
    pgs_group *g = &s->group[s->groups++];
    *g = (pgs_group){.begin = from->begin,
                     .end = from->end,
                     .a = from->a < 0 ? s->nb : from->a,
                     .b = from->b < 0 ? s->nb : from->b,
                     .pgs = from->pgs};
    if (g->pgs) {
        g->row = g->pgs->row;
    } else {
        g->row = s->row + s->rows;
        s->rows += g->end - g->begin;
    }
}

static void find_groups(pgs_state *s)
{
    const peg_lcp_row *row = s->problem->row;
    for (int g = 0; g < s->goal->groups; g++) add_group(s, &s->goal->group[g]);
    if (s->goal->group) return;
    for (int i = 0, end; i < s->problem->m; i = end) {
        int a = row[i].body_a, b = row[i].body_b;
        for (end = i + 1; end < s->problem->m && row[end].body_a == a && row[end].body_b == b;)
            end++;
        add_group(s, &(peg_pgs_group){.begin = i, .end = end, .a = a, .b = b});
    }
}

/* A friction row of an inactive contact. */
HOT int is_idle(const pgs_row *row, const double *at)
{
    return row->hi + row->mu * at[-row->normal] == 0;
}

static int load_group(pgs_state *s, const pgs_group *g, int again)
{
    const peg_lcp_row *from = s->goal->fill ? s->filled : s->problem->row + g->begin;
    if (s->goal->fill) s->goal->fill(s->goal->context, g->begin, g->end, again, s->filled);
    for (int i = g->begin; i < g->end; i++, from++) {
        pgs_row *row = &g->row[i - g->begin];
        s->lambda[i] = 0;
        if ((!again && !load_row(s, i, from, row)) || !set_row(s, g, i, from)) return 0;
        s->lambda[i] = clamped(row, &s->lambda[i], isfinite(s->warm[i]) ? s->warm[i] : 0);
    }
    for (int i = g->begin; i < g->end && !again; i++) join_contact(g, i);
    return 1;
}

/* Loads the rows of a group with their warm start. */
static void prepare(pgs_state *s, pgs_group *g)
{
    if (g->ready) return;
    g->ready = 1;
    if (!load_group(s, g, g->pgs && g->pgs->ready)) s->singular = 1;
    if (g->pgs) g->pgs->ready = 1;
}

static int is_dirty(const pgs_state *s, int body)
{
    return body < s->nb && (!s->goal->dirty || s->goal->dirty[body]);
}

/* y = F^-1 (v - v_f). */
static void set_motion(pgs_state *s, int i, const double *v)
{
    double d[6];
    for (int k = 0; k < 6; k++) d[k] = v[k] - s->problem->target[i][k];
    peg_mass_root_solve(&s->root[i], d, s->y + STRIDE * i);
}

/* y of the warm start where it is looked at, of v elsewhere. */
static void start(pgs_state *s)
{
    memset(s->y, 0, (size_t)(STRIDE * (s->nb + 1)) * sizeof *s->y);
    for (int n = 0; n < s->groups; n++) {
        pgs_group *g = &s->group[n];
        int a = is_dirty(s, g->a), b = is_dirty(s, g->b);
        if (!a && !b) continue;
        prepare(s, g);
        for (int i = g->begin; i < g->end && !s->singular; i++) {
            const pgs_row *row = &g->row[i - g->begin];
            double *ya = s->y + STRIDE * g->a, *yb = s->y + STRIDE * g->b;
            for (int k = 0; k < 6 && a; k++) ya[k] += s->lambda[i] * row->n.d[k];
            for (int k = 0; k < 6 && b; k++) yb[k] += s->lambda[i] * row->n.d[6 + k];
        }
    }
    for (int i = 0; i < s->nb; i++)
        if (!is_dirty(s, i)) set_motion(s, i, s->goal->v[i]);
}

static void reach(pgs_state *s, int body)
{
    if (s->reached[body] || body == s->nb) return;
    s->reached[body] = 1;
    s->spread = 1;
}

/* Nothing near the group has changed. */
static inline int is_quiet(const pgs_state *s, const pgs_group *g)
{
    return s->before[g->a] <= QUIET && s->before[g->b] <= QUIET && s->moved[g->a] <= QUIET &&
           s->moved[g->b] <= QUIET;
}

HOT void scatter(pgs_state *s, const pgs_group *g, const quad y[3])
{
    const quad zero = {0};
    quad *a = (quad *)(s->y + STRIDE * g->a), *b = (quad *)(s->y + STRIDE * g->b);
    a[0] = y[0];
    a[1] = PICK(y[1], zero, 0, 1, 4, 5);
    b[0] = PICK(y[1], y[2], 2, 3, 4, 5);
    b[1] = PICK(y[2], zero, 2, 3, 4, 5);
}

/* Of the impulse, at a speed of the row. */
HOT double change(const pgs_row *row, double *at, double speed)
{
    double before = *at;
    *at = clamped(row, at, before - row->gain * speed);
    return *at - before;
}

HOT void push(pgs_state *s, const pgs_row *row, double by, quad y[3], double *most)
{
    for (int k = 0; k < 3; k++) y[k] += by * row->n.q[k];
    double square = by * by * row->scale;
    s->largest = peg_max(s->largest, square);
    s->sum += square;
    *most = peg_max(*most, fabs(by) * row->per_speed);
}

HOT void visit_row(pgs_state *s, const pgs_row *row, double *at, quad y[3], double *most)
{
    if (*at == 0 && is_idle(row, at)) return;
    double by = change(row, at, speed_of(row, *at, y));
    if (by != 0) push(s, row, by, y, most);
}

HOT void visit_contact(pgs_state *s, const pgs_row *row, double *at, quad y[3], double *most)
{
    double by = change(row, at, speed_of(row, *at, y));
    if (at[1] == 0 && at[2] == 0 && is_idle(row + 1, at + 1) && is_idle(row + 2, at + 2)) {
        if (by != 0) push(s, row, by, y, most);
        return;
    }
    double one = speed_of(row + 1, at[1], y), two = speed_of(row + 2, at[2], y);
    double first = change(row + 1, at + 1, one + row[1].before[0] * by);
    double second = change(row + 2, at + 2, two + row[2].before[1] * by + row[2].before[0] * first);
    push(s, row, by, y, most);
    push(s, row + 1, first, y, most);
    push(s, row + 2, second, y, most);
}

/* One iteration; the largest change of a row's speed, as a share of what it may fail by. */
PEG_WIDE static double iterate(pgs_state *s)
{
    double worst = 0;
    s->largest = s->sum = 0;
    memset(s->moved, 0, (size_t)(s->nb + 1) * sizeof *s->moved);
    for (int n = 0; n < s->actives; n++) {
        pgs_group *g = &s->group[s->active[n]];
        if (is_quiet(s, g)) continue;
        prepare(s, g);
        s->visits += g->end - g->begin;
        int a = g->a, b = g->b;
        double most = 0;
        quad y[3];
        gather(s, g, y);
        const pgs_row *row = g->row;
        for (int i = g->begin; i < g->end; i += row->together, row += row->together) {
            if (row->together == CONTACT)
                visit_contact(s, row, &s->lambda[i], y, &most);
            else
                visit_row(s, row, &s->lambda[i], y, &most);
        }
        scatter(s, g, y);
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

static void finish(const pgs_state *s, peg_solution *solution)
{
    for (int i = 0; i < s->nb; i++) {
        if (!s->reached[i]) {
            memcpy(solution->v[i], s->goal->v[i], sizeof solution->v[i]);
            continue;
        }
        const double *f = s->root[i].angular;
        const double *y = s->y + STRIDE * i;
        double v[6] = {s->root[i].linear * y[0],  s->root[i].linear * y[1],
                       s->root[i].linear * y[2],  f[0] * y[3],
                       f[1] * y[3] + f[2] * y[4], f[3] * y[3] + f[4] * y[4] + f[5] * y[5]};
        for (int k = 0; k < 6; k++) solution->v[i][k] = s->problem->target[i][k] + v[k];
    }
    for (int g = 0; g < s->groups; g++)
        for (int i = s->group[g].begin; i < s->group[g].end && s->group[g].ready; i++)
            solution->lambda[i] = s->lambda[i];
}

/* Iterations until rows change by no more than they may fail by, or until goal.stall of them
 * for have not taken the share GETS_ON from the largest change. */
static peg_outcome settle(pgs_state *s)
{
    double worst = INFINITY, before = INFINITY;
    for (int k = 1; k <= s->goal->max_iterations && worst > 1 && !s->singular; k++) {
        if (s->spread) s->actives = 0;
        for (int n = 0; n < s->groups && s->spread; n++)
            if (s->reached[s->group[n].a] || s->reached[s->group[n].b]) s->active[s->actives++] = n;
        s->spread = 0;
        worst = iterate(s);
        s->iterations++;
        if (!s->goal->stall || k % s->goal->stall) continue;
        if (worst > (1 - GETS_ON) * before) break;
        before = worst;
    }
    return worst <= 1 ? PEG_SOLVED : PEG_ITERATION_LIMIT;
}

peg_outcome peg_solve_pgs(peg_arena *arena, const peg_problem *problem, const peg_pgs_goal *goal,
                          peg_solution *solution)
{
    peg_arena_mark mark = peg_arena_here(arena);
    pgs_state s = {.problem = problem, .goal = goal, .warm = solution->lambda};
    if (!allocate(arena, &s)) return PEG_OUT_OF_MEMORY;
    memset(s.target + STRIDE * s.nb, 0, STRIDE * sizeof *s.target);
    for (int i = 0; i < s.nb; i++) {
        s.singular |= !peg_mass_root_of(&problem->mass[i], &s.root[i]);
        peg_mass_root_solve(&s.root[i], problem->target[i], s.target + STRIDE * i);
    }
    find_groups(&s);
    if (!s.singular) start(&s);
    /* the bodies whose rows are visited in the first iteration */
    for (int i = 0; i < s.nb; i++) s.before[i] = is_dirty(&s, i) ? INFINITY : 0;
    s.before[s.nb] = 0;
    for (int i = 0; i <= s.nb; i++) s.reached[i] = (unsigned char)is_dirty(&s, i);
    s.spread = 1;
    peg_outcome outcome = settle(&s);
    if (s.singular) {
        peg_arena_back(arena, mark);
        return PEG_SINGULAR;
    }
    finish(&s, solution);
    for (int i = 0; i < s.nb && goal->dirty; i++) goal->dirty[i] |= s.reached[i];
    solution->iterations = s.iterations;
    solution->work += (double)s.visits / PEG_VISITS_OF_WORK;
    solution->residual = sqrt(s.largest);
    solution->left = sqrt(s.sum);
    solution->method = PEG_METHOD_PGS;
    solution->cone = 0;
    peg_arena_back(arena, mark);
    return outcome;
}
