/* Groups of patches are visited one colour after the other, eight patches at a time; as in
 * gauss_seidel.c the rows of a contact at once.
 *
 * Iterates go on by momentum, as in accelerated gradients with an iteration P as the step
 * (Nesterov):
 *
 *     x_(k+1) = P(x_k) + beta_k (P(x_k) - P(x_(k-1))),   beta_k = (t_k - 1) / t_(k+1),
 *     t_1 = 1,   t_(k+1) = (1 + sqrt(1 + 4 t_k^2)) / 2
 *
 * with t = 1 again where the changes |P(x) - x|^2, in the norm of energy, grow by GROWTH above the
 * least since then. The answer is the last P(x). */
#include "peg/lcp/wide_pgs.h"

#include "peg/lcp/wide_groups.h"

PEG_HOT void gather(const peg_wide_pgs *s, const size_t *at, peg_floats y[PEG_LANES])
{
    for (int l = 0; l < PEG_LANES; l++) y[l] = *(const peg_floats *)(s->y + at[l]);
    peg_floats_transpose(y);
}

/* The last two are room, and 0: so the compiler need not keep them. */
PEG_HOT void scatter(const peg_wide_pgs *s, const size_t *at, peg_floats y[PEG_LANES])
{
    for (int k = 6; k < PEG_LANES; k++) y[k] = peg_floats_of(0);
    peg_floats_transpose(y);
    for (int l = 0; l < PEG_LANES; l++) *(peg_floats *)(s->y + at[l]) = y[l];
}

/* Impulses of `rows` rows that follow each other. */
PEG_HOT void push(const peg_wide_group *g, const peg_wide_row *row, const peg_floats *by, int rows,
                  peg_floats *a, peg_floats *b)
{
    for (int k = 0; k < 3; k++) {
        peg_floats linear = by[0] * row[0].d[k], turn_a = by[0] * row[0].a[k],
                   turn_b = by[0] * row[0].b[k];
        for (int j = 1; j < rows; j++) {
            linear += by[j] * row[j].d[k];
            turn_a += by[j] * row[j].a[k];
            turn_b += by[j] * row[j].b[k];
        }
        a[k] += g->inverse_mass[0] * linear, b[k] -= g->inverse_mass[1] * linear;
        a[3 + k] += turn_a, b[3 + k] += turn_b;
    }
}

/* Speeds of rows, with the turning of A and B in y[3 .. 5]: what is read of one body at a time is
 * used for all rows. */
PEG_HOT void find_speeds(const peg_wide_row *row, int rows, const peg_floats *a,
                         const peg_floats *b, peg_floats *speed)
{
    peg_floats apart[3], of_a[PEG_WIDE_ROWS], of_b[PEG_WIDE_ROWS];
    for (int k = 0; k < rows; k++) of_a[k] = peg_floats_dot(row[k].a, a + 3);
    for (int k = 0; k < rows; k++) of_b[k] = peg_floats_dot(row[k].b, b + 3);
    for (int k = 0; k < 3; k++) apart[k] = a[k] - b[k];
    for (int k = 0; k < rows; k++)
        speed[k] = row[k].beta + (peg_floats_dot(row[k].d, apart) + (of_a[k] + of_b[k]));
}

/* What an iteration changed: the largest speed of a row, m/s, and the sum of all squares, J. */
typedef struct changes {
    peg_floats most, sum;
} changes;

/* Takes the impulse to lambda; returns its change. */
PEG_HOT peg_floats set_impulse(peg_wide_row *row, peg_floats lambda, changes *c)
{
    peg_floats by = lambda - row->lambda, speed = by * row->scale;
    row->lambda = lambda;
    row->way += by;
    c->most = peg_floats_max(c->most, peg_floats_abs(speed));
    c->sum += by * speed;
    return by;
}

PEG_HOT peg_floats within(peg_floats x, peg_floats bound)
{
    return peg_floats_min(peg_floats_max(x, -bound), bound);
}

/* Groups of a colour that are visited side by side: each row of a contact waits for the one before,
 * while other groups do not. */
enum { ABREAST = 2 };

/* A group that is being visited, with y of A and B. */
typedef struct visited {
    peg_wide_group *group;
    int yields, furthers;
    peg_floats a[PEG_LANES], b[PEG_LANES];
    changes changed;
} visited;

/* With which the row has no speed left. */
PEG_HOT peg_floats wanted_impulse(const visited *v, const peg_wide_row *row, peg_floats speed)
{
    if (v->yields) return row->gain * (row->scale * row->lambda - speed);
    return row->lambda - row->gain * speed;
}

PEG_HOT void visit_normal_row(visited *v, int k, const peg_floats *speed, peg_floats *by)
{
    peg_wide_row *row = v->group->rows[k].row;
    peg_floats lambda = wanted_impulse(v, row, speed[0]);
    by[0] = set_impulse(row, peg_floats_max(lambda, peg_floats_of(0)), &v->changed);
}

PEG_HOT void visit_first_friction_row(visited *v, int k, const peg_floats *speed, peg_floats *by)
{
    peg_wide_rows *r = &v->group->rows[k];
    peg_wide_row *row = r->row;
    peg_floats lambda = wanted_impulse(v, row + 1, speed[1] + r->one_zero * by[0]);
    by[1] = set_impulse(row + 1, within(lambda, r->mu[0] * row->lambda + r->limit[0]), &v->changed);
}

PEG_HOT void visit_second_friction_row(visited *v, int k, const peg_floats *speed, peg_floats *by)
{
    peg_wide_rows *r = &v->group->rows[k];
    peg_wide_row *row = r->row;
    peg_floats full = speed[2] + r->two_zero * by[0] + r->two_one * by[1];
    peg_floats lambda = wanted_impulse(v, row + 2, full);
    by[2] = set_impulse(row + 2, within(lambda, r->mu[1] * row->lambda + r->limit[1]), &v->changed);
}

/* The contacts k of n groups. */
PEG_HOT void visit_contacts(visited *v, int n, int k, int rows)
{
    peg_floats by[ABREAST][PEG_WIDE_ROWS], speed[ABREAST][PEG_WIDE_ROWS];
    for (int i = 0; i < n; i++)
        find_speeds(v[i].group->rows[k].row, rows, v[i].a, v[i].b, speed[i]);
    for (int i = 0; i < n; i++) visit_normal_row(&v[i], k, speed[i], by[i]);
    for (int i = 0; i < n && rows > 1; i++) visit_first_friction_row(&v[i], k, speed[i], by[i]);
    for (int i = 0; i < n && rows > 1; i++) visit_second_friction_row(&v[i], k, speed[i], by[i]);
    for (int i = 0; i < n; i++) {
        const peg_wide_row *row = v[i].group->rows[k].row;
        PEG_LOAD_AGAIN(row);
        push(v[i].group, row, by[i], rows, v[i].a, v[i].b);
    }
}

/* The further rows of contacts k of n groups, each after the one before. */
PEG_HOT void visit_further_rows(visited *v, int n, int k)
{
    for (int j = 0; j < v->furthers; j++)
        for (int i = 0; i < n; i++) {
            peg_wide_group *g = v[i].group;
            peg_wide_further_rows *f = &g->further[k * v->furthers + j];
            peg_floats speed, bound = f->mu * g->rows[k].row->lambda + f->limit;
            find_speeds(&f->row, 1, v[i].a, v[i].b, &speed);
            peg_floats lambda = within(wanted_impulse(&v[i], &f->row, speed), bound);
            peg_floats by = set_impulse(&f->row, lambda, &v[i].changed);
            push(g, &f->row, &by, 1, v[i].a, v[i].b);
        }
}

/* What a thread does between two meetings: a step of an iteration, or of the start of all. */
typedef enum visit { START, VISIT } visit;

/* From P(x) to the next iterate. */
PEG_HOT void extrapolate(peg_wide_row *row, int rows, peg_floats beta)
{
    for (int k = 0; k < rows; k++) {
        peg_floats on = beta * row[k].way;
        row[k].lambda += on;
        row[k].way = on;
    }
}

PEG_HOT void start_contact(visited *v, int k, int rows)
{
    const peg_wide_row *row = v->group->rows[k].row;
    peg_floats lambda[PEG_WIDE_ROWS] = {row[0].lambda, row[1].lambda, row[2].lambda};
    push(v->group, row, lambda, rows, v->a, v->b);
    for (int j = 0; j < v->furthers; j++) {
        const peg_wide_row *further = &v->group->further[k * v->furthers + j].row;
        push(v->group, further, &further->lambda, 1, v->a, v->b);
    }
}

/* The contacts from .. to - 1 of n groups. */
PEG_HOT void visit_range(visited *v, int n, int from, int to, int rows, visit kind, float beta)
{
    for (int k = from; k < to; k++) {
        if (kind == START) {
            for (int i = 0; i < n; i++) start_contact(&v[i], k, rows);
            continue;
        }
        for (int i = 0; i < n; i++) {
            extrapolate(v[i].group->rows[k].row, rows, peg_floats_of(beta));
            for (int j = 0; j < v->furthers; j++)
                extrapolate(&v[i].group->further[k * v->furthers + j].row, 1, peg_floats_of(beta));
        }
        visit_contacts(v, n, k, rows);
        visit_further_rows(v, n, k);
    }
}

/* n groups that are `apart` from each other; the second one has no fewer contacts. */
PEG_HOT void visit_abreast(peg_wide_pgs *s, int first, int apart, int n, int rows, int yields,
                           visit kind, float beta, peg_floats *most)
{
    visited v[ABREAST];
    for (int i = 0; i < n; i++) {
        v[i].yields = yields;
        v[i].furthers = rows > 1 ? s->problem->furthers : 0;
        v[i].group = &s->group[first + i * apart];
        v[i].changed = (changes){*most, peg_floats_of(0)};
        gather(s, v[i].group->y_of_a, v[i].a);
        gather(s, v[i].group->y_of_b, v[i].b);
    }
    int both = v[0].group->contacts;
    visit_range(v, n, 0, both, rows, kind, beta);
    if (n > 1) visit_range(v + 1, 1, both, v[1].group->contacts, rows, kind, beta);
    for (int i = 0; i < n; i++) {
        scatter(s, v[i].group->y_of_a, v[i].a);
        scatter(s, v[i].group->y_of_b, v[i].b);
        s->changed[first + i * apart] = v[i].changed.sum;
        *most = peg_floats_max(*most, v[i].changed.most);
    }
}

/* A thread's groups of a phase, `apart` from each other. Returns the largest change of a row. */
PEG_HOT float visit_share(peg_wide_pgs *s, int first, int end, int apart, int rows, int yields,
                          visit kind, float beta)
{
    peg_floats most = peg_floats_of(0);
    float largest = 0;
    for (int i = first, next; i < end; i = next) {
        int colour = s->group[i].colour;
        next = i + apart;
        if (next < end && colour < PEG_WIDE_COLOURS && s->group[next].colour == colour) {
            visit_abreast(s, i, apart, 2, rows, yields, kind, beta, &most);
            next += apart;
        } else {
            visit_abreast(s, i, apart, 1, rows, yields, kind, beta, &most);
        }
    }
    for (int l = 0; l < PEG_LANES; l++) largest = most[l] > largest ? most[l] : largest;
    return largest;
}

PEG_WIDE static float visit_groups(peg_wide_pgs *s, int k, int worker, visit kind, float beta)
{
    const peg_wide_phase *p = &s->phase[k];
    int first = p->begin + worker, end = p[1].begin;
    if (!s->has_friction && s->yields)
        return visit_share(s, first, end, p->threads, 1, 1, kind, beta);
    if (!s->has_friction) return visit_share(s, first, end, p->threads, 1, 0, kind, beta);
    if (s->yields) return visit_share(s, first, end, p->threads, PEG_WIDE_ROWS, 1, kind, beta);
    return visit_share(s, first, end, p->threads, PEG_WIDE_ROWS, 0, kind, beta);
}

/* Of the first thread: what is joined. */
static float visit_joined(peg_wide_pgs *s, visit kind, float beta)
{
    if (kind == START)
        peg_joined_start(s->joined, s->y);
    else
        s->joined_change = peg_joined_visit(s->joined, beta, s->y);
    return s->joined_change.most;
}

/* One iteration; all threads return the largest change of a row. */
static double pass(peg_wide_pgs *s, visit kind, int worker, int parity, float beta)
{
    float most = s->joined && worker == 0 ? visit_joined(s, kind, beta) : 0;
    if (s->joined) s->change[worker].most[parity] = most;
    if (s->joined) peg_pool_meet(s->problem->pool);
    for (int k = 0; k < s->phases; k++) {
        if (worker < s->phase[k].threads)
            most = peg_max(most, visit_groups(s, k, worker, kind, beta));
        s->change[worker].most[parity] = most;
        peg_pool_meet(s->problem->pool);
    }
    for (int i = 0; i < s->threads; i++) most = peg_max(most, s->change[i].most[parity]);
    return (double)most;
}

/* y of a thread's share of the bodies. */
PEG_WIDE static void extrapolate_bodies(peg_wide_pgs *s, int worker, float beta)
{
    size_t n = (size_t)s->problem->nb, of = (size_t)worker, threads = (size_t)s->threads;
    for (size_t i = n * of / threads; i < n * (of + 1) / threads; i++) {
        peg_floats *y = (peg_floats *)(s->y + PEG_WIDE_STRIDE * i);
        peg_floats *before = (peg_floats *)(s->before + PEG_WIDE_STRIDE * i);
        peg_floats on = beta * (*y - *before);
        *before = *y;
        *y += on;
    }
    peg_pool_meet(s->problem->pool);
}

/* Squares of what all rows changed in the last iteration, J. */
static double squares(const peg_wide_pgs *s)
{
    peg_floats changed = peg_floats_of(0);
    double sum = 0;
    for (int i = 0; i < s->groups; i++) changed += s->changed[i];
    for (int l = 0; l < PEG_LANES; l++) sum += (double)changed[l];
    return sum + s->joined_change.sum;
}

/* Factor by which changes may grow above the least since the momentum began before it begins anew.
 * In piles of 100 to 1000 boxes and polyhedra that fall, iterations are 0.85x those of 1 with 1.2
 * to 1.4; with 2 some problems go in circles. */
static const double GROWTH = 1.3;

typedef struct momentum {
    double t, least; /* least: of the changes since it began, J */
} momentum;

/* beta of the next iterate. */
static float next_beta(momentum *m, double sum)
{
    double t = sum < GROWTH * m->least ? m->t : 1;
    m->least = t > 1 ? peg_min(m->least, sum) : sum;
    m->t = (1 + sqrt(1 + 4 * t * t)) / 2;
    return (float)((t - 1) / m->t);
}

/* Limits of friction act where the contact stays closed. Which contacts do is updated after this
 * many iterations, twice, four times as many and so on; at first it is those with impulses of the
 * step before and those that close without contact. With an update in every iteration 229 of 300
 * steps of `container` of 60 bodies with mu infinite are unconverged, not 4. */
enum { FIRST_UPDATE = 8 };

/* Speed of a row of lane l, m/s. */
static float lane_speed(const peg_wide_pgs *s, const peg_wide_group *g, int l,
                        const peg_wide_row *row)
{
    const float *a = s->y + g->y_of_a[l], *b = s->y + g->y_of_b[l];
    float speed = row->beta[l];
    for (int k = 0; k < 3; k++)
        speed += row->d[k][l] * (a[k] - b[k]) + row->a[k][l] * a[3 + k] + row->b[k][l] * b[3 + k];
    return speed;
}

static void update_limits(const peg_wide_pgs *s, int worker)
{
    const peg_wide_problem *p = s->problem;
    if (s->joined && worker == 0) peg_joined_update_limits(s->joined, s->y);
    for (int i = worker; i < s->groups; i += s->threads) {
        const peg_wide_group *g = &s->group[i];
        for (int l = 0; l < PEG_LANES && g->patch[l] >= 0; l++)
            for (int k = 0; k < p->patch[g->patch[l]].count; k++) {
                const peg_wide_contact *c = &p->contact[p->patch[g->patch[l]].first + k];
                peg_wide_rows *r = &g->rows[k];
                int is_closed =
                    r->row->lambda[l] > 0 || (double)lane_speed(s, g, l, r->row) <= p->tolerance;
                for (int j = 0; j < 2; j++)
                    r->limit[j][l] = is_closed ? peg_wide_limit(c->limit[j]) : 0;
                for (int j = 0; j < p->furthers; j++) {
                    double limit = p->further[(c - p->contact) * p->furthers + j].limit;
                    g->further[k * p->furthers + j].limit[l] =
                        is_closed ? peg_wide_limit(limit) : 0;
                }
            }
    }
    peg_pool_meet(p->pool);
}

static int is_enough(const peg_wide_pgs *s, int iterations, double largest, double sum)
{
    const peg_wide_problem *p = s->problem;
    if (s->has_limits && iterations <= FIRST_UPDATE) return 0;
    return largest <= p->tolerance || (iterations >= p->least && sum <= p->enough);
}

static void iterate(void *data, int worker)
{
    peg_wide_pgs *s = data;
    const peg_wide_problem *p = s->problem;
    double largest = INFINITY, sum = INFINITY;
    momentum m = {.t = 1, .least = INFINITY};
    float beta = 0;
    int i = 0, update = FIRST_UPDATE;
    peg_wide_load_rows(s, worker);
    peg_pool_meet(p->pool);
    pass(s, START, worker, 0, 0);
    extrapolate_bodies(s, worker, 0);
    while (i < p->iterations && !is_enough(s, i, largest, sum)) {
        largest = pass(s, VISIT, worker, i++ % 2, beta);
        sum = squares(s);
        beta = next_beta(&m, sum);
        extrapolate_bodies(s, worker, beta);
        if (i < update || !s->has_limits) continue;
        update_limits(s, worker);
        update = 2 * i;
    }
    if (worker) return;
    s->result->iterations = i;
    s->result->change = largest;
    s->result->left = i ? sqrt(sum) : 0;
}
/* What the rows of the contacts have. */
static void look_at_contacts(peg_wide_pgs *s)
{
    const peg_wide_problem *p = s->problem;
    int n = 0;
    for (int i = 0; i < p->patches; i++) n = peg_max(n, p->patch[i].first + p->patch[i].count);
    for (int i = 0; i < n; i++) {
        const peg_wide_contact *c = &p->contact[i];
        for (int j = 0; j < PEG_WIDE_ROWS; j++) s->yields |= c->compliance[j] > 0;
        for (int j = 0; j < 2 && !p->frictionless; j++) {
            s->has_friction |= c->mu[j] > 0 || c->limit[j] > 0;
            s->has_limits |= c->limit[j] > 0;
        }
        for (int j = 0; j < p->furthers && !p->frictionless; j++) {
            const peg_wide_further *f = &p->further[i * p->furthers + j];
            s->has_friction |= f->mu > 0 || f->limit > 0;
            s->has_limits |= f->limit > 0;
            s->yields |= f->compliance > 0;
        }
    }
}

int peg_solve_wide_pgs(peg_arena *arena, peg_wide_problem *p, peg_vec6 *v, peg_wide_result *result)
{
    peg_arena_mark mark = peg_arena_here(arena);
    peg_wide_pgs s = {.problem = p, .result = result, .threads = peg_pool_threads(p->pool)};
    look_at_contacts(&s);
    *result = (peg_wide_result){.change = INFINITY};
    s.base = p->target;
    if (p->joints) {
        s.joined = peg_joined_create(arena, p);
        if (!s.joined) {
            peg_arena_back(arena, mark);
            return 0;
        }
        s.base = peg_joined_base(s.joined);
    }
    if (!peg_wide_make_groups(arena, &s)) return 0;
    size_t size = (size_t)PEG_WIDE_STRIDE * (size_t)(p->nb + s.threads) * sizeof *s.y;
    memset(s.y, 0, size);
    memset(s.before, 0, size);
    peg_pool_together(p->pool, iterate, &s);
    peg_wide_take_solution(&s, v);
    int holds = !s.joined || peg_joined_hold(s.joined, v);
    peg_arena_back(arena, mark);
    return holds;
}
