/* Groups of patches are visited one colour after the other, eight patches at a time; as in
 * gauss_seidel.c the rows of a contact at once.
 *
 * Rounds of iterations go on by momentum and, where that does not converge, by Anderson mixing in
 * turn (wide_acceleration.c). The answer is the last P(x). */
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
PEG_HOT void extrapolate(peg_wide_row *row, int rows, const peg_wide_mix *mix, peg_wide_past *past)
{
    for (int k = 0; k < rows; k++) {
        peg_floats on = mix->weight[0] * row[k].way;
        if (!mix->is_momentum) {
            if (mix->newest >= 0) past[k].change[mix->newest] = row[k].way;
            on = peg_floats_of(0);
            for (int j = 0; j < mix->count; j++) on += mix->weight[j] * past[k].change[j];
        }
        row[k].lambda += on;
        row[k].way = on;
    }
}

PEG_HOT void extrapolate_contact(visited *v, int k, int rows, const peg_wide_mix *mix)
{
    peg_wide_group *g = v->group;
    peg_wide_past *past = mix->is_momentum ? NULL : g->past + k * PEG_WIDE_ROWS;
    extrapolate(g->rows[k].row, rows, mix, past);
    for (int j = 0; j < v->furthers; j++) {
        int further = k * v->furthers + j;
        past = mix->is_momentum ? NULL : g->past + g->contacts * PEG_WIDE_ROWS + further;
        extrapolate(&g->further[further].row, 1, mix, past);
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
PEG_HOT void visit_range(visited *v, int n, int from, int to, int rows, visit kind,
                         const peg_wide_mix *mix)
{
    for (int k = from; k < to; k++) {
        if (kind == START) {
            for (int i = 0; i < n; i++) start_contact(&v[i], k, rows);
            continue;
        }
        for (int i = 0; i < n; i++) extrapolate_contact(&v[i], k, rows, mix);
        visit_contacts(v, n, k, rows);
        visit_further_rows(v, n, k);
    }
}

/* n groups that are `apart` from each other; the second one has no fewer contacts. */
PEG_HOT void visit_abreast(peg_wide_pgs *s, int first, int apart, int n, int rows, int yields,
                           visit kind, const peg_wide_mix *mix, peg_floats *most)
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
    visit_range(v, n, 0, both, rows, kind, mix);
    if (n > 1) visit_range(v + 1, 1, both, v[1].group->contacts, rows, kind, mix);
    for (int i = 0; i < n; i++) {
        scatter(s, v[i].group->y_of_a, v[i].a);
        scatter(s, v[i].group->y_of_b, v[i].b);
        s->changed[first + i * apart] = v[i].changed.sum;
        *most = peg_floats_max(*most, v[i].changed.most);
    }
}

/* A thread's groups of a phase, `apart` from each other. Returns the largest change of a row. */
PEG_HOT float visit_share(peg_wide_pgs *s, int first, int end, int apart, int rows, int yields,
                          visit kind, const peg_wide_mix *mix)
{
    peg_floats most = peg_floats_of(0);
    float largest = 0;
    for (int i = first, next; i < end; i = next) {
        int colour = s->group[i].colour;
        next = i + apart;
        if (next < end && colour < PEG_WIDE_COLOURS && s->group[next].colour == colour) {
            visit_abreast(s, i, apart, 2, rows, yields, kind, mix, &most);
            next += apart;
        } else {
            visit_abreast(s, i, apart, 1, rows, yields, kind, mix, &most);
        }
    }
    for (int l = 0; l < PEG_LANES; l++) largest = most[l] > largest ? most[l] : largest;
    return largest;
}

PEG_WIDE static float visit_groups(peg_wide_pgs *s, int k, int worker, visit kind,
                                   const peg_wide_mix *mix)
{
    const peg_wide_phase *p = &s->phase[k];
    int first = p->begin + worker, end = p[1].begin;
    if (!s->has_friction && s->yields)
        return visit_share(s, first, end, p->threads, 1, 1, kind, mix);
    if (!s->has_friction) return visit_share(s, first, end, p->threads, 1, 0, kind, mix);
    if (s->yields) return visit_share(s, first, end, p->threads, PEG_WIDE_ROWS, 1, kind, mix);
    return visit_share(s, first, end, p->threads, PEG_WIDE_ROWS, 0, kind, mix);
}

/* Of the first thread: what is joined. */
static float visit_joined(peg_wide_pgs *s, visit kind, const peg_wide_mix *mix)
{
    if (kind == START)
        peg_joined_start(s->joined, s->y);
    else
        s->joined_change = peg_joined_visit(s->joined, mix->weight[0], s->y);
    return s->joined_change.most;
}

/* One iteration; all threads return the largest change of a row. */
static double pass(peg_wide_pgs *s, visit kind, int worker, int parity, const peg_wide_mix *mix)
{
    float most = s->joined && worker == 0 ? visit_joined(s, kind, mix) : 0;
    if (s->joined) s->change[worker].most[parity] = most;
    if (s->joined) peg_pool_meet(s->problem->pool);
    for (int k = 0; k < s->phases; k++) {
        if (worker < s->phase[k].threads)
            most = peg_max(most, visit_groups(s, k, worker, kind, mix));
        s->change[worker].most[parity] = most;
        peg_pool_meet(s->problem->pool);
    }
    for (int i = 0; i < s->threads; i++) most = peg_max(most, s->change[i].most[parity]);
    return (double)most;
}

/* The floats of y that are a thread's share: begin, and the end. */
static void share_of(const peg_wide_pgs *s, int worker, size_t share[2])
{
    size_t n = (size_t)s->problem->nb, threads = (size_t)s->threads;
    for (size_t k = 0; k < 2; k++)
        share[k] = PEG_WIDE_STRIDE * (n * ((size_t)worker + k) / threads);
}

PEG_WIDE static void extrapolate_bodies(peg_wide_pgs *s, const size_t share[2], float beta)
{
    for (size_t i = share[0]; i < share[1]; i += PEG_WIDE_STRIDE) {
        peg_floats *y = (peg_floats *)(s->y + i), *before = (peg_floats *)(s->before + i);
        peg_floats on = beta * (*y - *before);
        *before = *y;
        *y += on;
    }
}

/* y from P(x), after an iteration that changed the sum of squares, to the next iterate. */
static void go_on(peg_wide_pgs *s, int worker, peg_wide_acceleration *a, double sum)
{
    size_t share[2];
    share_of(s, worker, share);
    if (a->mix.is_momentum) {
        peg_wide_momentum(a, sum);
        extrapolate_bodies(s, share, a->mix.weight[0]);
    } else {
        peg_wide_note_change(&s->history, a, s->y, s->before, share[0], share[1]);
        peg_pool_meet(s->problem->pool);
        peg_wide_find_weights(&s->history, a);
        peg_wide_mix_changes(&s->history, &a->mix, s->y, share[0], share[1]);
    }
    peg_pool_meet(s->problem->pool);
}

/* The acceleration of a round, from its first iterate. */
static void enter(peg_wide_pgs *s, int worker, int is_momentum, peg_wide_acceleration *a)
{
    size_t share[2];
    share_of(s, worker, share);
    peg_wide_acceleration_begin(a, is_momentum);
    if (is_momentum)
        extrapolate_bodies(s, share, 0);
    else
        peg_wide_mix_changes(&s->history, &a->mix, s->y, share[0], share[1]);
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

static int is_enough(const peg_wide_pgs *s, const peg_wide_progress *at)
{
    const peg_wide_problem *p = s->problem;
    if (s->has_limits && at->iterations <= FIRST_UPDATE) return 0;
    return at->largest <= p->tolerance || (at->iterations >= p->least && at->sum <= p->enough);
}

static void start(void *data, int worker)
{
    peg_wide_pgs *s = data;
    peg_wide_load_rows(s, worker);
    peg_pool_meet(s->problem->pool);
    pass(s, START, worker, 0, NULL);
}

/* Coefficient of friction from which on rounds of Anderson mixing follow those by momentum, without
 * joints: chains and ragdolls with mu 2 to 100 converge as well without. Below it momentum leaves
 * no problem of 30 bodies and more in `container`, `pile-boxes` and `pile-convex` unconverged, with
 * 1 up to one of twelve, with 1.4 two of three. */
static const double STEEP = 1;
/* Iterations of a round: with 60 piles with mu 2 take 0.9x the iterations, with mu 5 and 20 more
 * problems stay unconverged. */
enum { ROUND = 100 };

/* A round: the first one and every other one by momentum. */
static void iterate(void *data, int worker)
{
    peg_wide_pgs *s = data;
    peg_wide_progress at = s->progress;
    peg_wide_acceleration a;
    int end = s->problem->iterations;
    if (s->is_steep) end = peg_min(end, at.iterations + ROUND);
    enter(s, worker, at.iterations / ROUND % 2 == 0, &a);
    while (at.iterations < end && !is_enough(s, &at)) {
        at.largest = pass(s, VISIT, worker, at.iterations++ % 2, &a.mix);
        at.sum = squares(s);
        if (at.iterations < end) go_on(s, worker, &a, at.sum);
        if (at.iterations < at.update || !s->has_limits) continue;
        update_limits(s, worker);
        at.update = 2 * at.iterations;
    }
    if (worker == 0) s->progress = at;
}

static int is_over(const peg_wide_pgs *s)
{
    const peg_wide_progress *at = &s->progress;
    return at->iterations >= s->problem->iterations || is_enough(s, at);
}

/* Returns 0 without memory. */
static int run(peg_arena *arena, peg_wide_pgs *s)
{
    peg_pool *pool = s->problem->pool;
    s->progress = (peg_wide_progress){0, FIRST_UPDATE, INFINITY, INFINITY};
    peg_pool_together(pool, start, s);
    while (!is_over(s)) {
        if (s->progress.iterations == ROUND && !peg_wide_make_past(arena, s)) return 0;
        peg_pool_together(pool, iterate, s);
    }
    s->result->iterations = s->progress.iterations;
    s->result->change = s->progress.largest;
    s->result->left = s->progress.iterations ? sqrt(s->progress.sum) : 0;
    return 1;
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
            s->is_steep |= c->mu[j] >= STEEP && !p->joints;
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
    int holds = run(arena, &s);
    if (holds) peg_wide_take_solution(&s, v);
    holds = holds && (!s.joined || peg_joined_hold(s.joined, v));
    peg_arena_back(arena, mark);
    return holds;
}
