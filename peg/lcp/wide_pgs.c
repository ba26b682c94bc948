/* Patches get colours, greedily in their order, so that no two of a colour share a moving body;
 * patches of one colour and as many contacts are visited eight at a time, by several threads where
 * there are many. As in gauss_seidel.c the rows of a contact are visited at once, in y: v - v_f of
 * the centres, and F^-1 (v - v_f) of what turns.
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

#include <stdint.h>

#include "peg/base/lanes.h"
#include "peg/lcp/wide_joined.h"

/* In place of a limit without bound, N s: its sums are finite. */
static const double WITHOUT_BOUND = 1e30;

/* Colours that are kept in a mask; a patch that finds none is visited by itself. */
enum { COLOURS = 64, ROWS = 3 };

typedef struct wide_row {
    peg_floats d[3], a[3], b[3];          /* direction; how the turning of A and B counts */
    peg_floats beta, gain, scale, lambda; /* gain: 1 / (scale + compliance) */
    peg_floats way; /* the extrapolation of the last iterate; once visited, with its change */
} wide_row;

typedef struct eight_rows {
    wide_row row[ROWS];
    peg_floats mu[2], limit[2];             /* of the friction rows; 0 where it does not act */
    peg_floats one_zero, two_zero, two_one; /* products of two rows */
} eight_rows;

typedef struct further_rows {
    wide_row row;
    peg_floats mu, limit;
} further_rows;

typedef struct wide_group {
    int patch[PEG_LANES];                        /* -1: none */
    int a[PEG_LANES], b[PEG_LANES];              /* nb and above: does not move */
    size_t y_of_a[PEG_LANES], y_of_b[PEG_LANES]; /* where their y begins */
    peg_floats inverse_mass[2];                  /* of A and B, 1/kg */
    int contacts, colour;
    eight_rows *rows;      /* contacts */
    further_rows *further; /* contacts times those of each */
} wide_group;

/* Groups begin .. that threads visit before they meet: of one colour, or of colours with so few of
 * them that the first thread visits all. */
typedef struct phase {
    int begin;
    int threads; /* that take part: each visits every so many-th */
} phase;

/* The largest change of a thread's rows, in this iteration and in the one before. */
typedef struct change {
    float most[2];
    char apart[56]; /* no cache line is shared with the next thread */
} change;

typedef struct state {
    const peg_wide_problem *problem;
    const peg_vec6 *base; /* nb: what iterates are relative to */
    peg_joined *joined;   /* null: there are no joints */
    peg_joined_change joined_change;
    peg_wide_result *result;
    float
        *y; /* PEG_WIDE_STRIDE (nb + threads); what does not move has the last blocks, by thread */
    float *before; /* as y: after the last iteration, before it is extrapolated */
    wide_group *group;
    peg_floats *changed; /* of each group in its last visit: squares of all rows, J */
    int groups;
    int has_friction, has_limits, yields; /* a contact does; yields: its rows have compliance */
    int threads, phases;
    phase phase[COLOURS + 3]; /* the last one begins at the end */
    change change[PEG_THREADS_MAX];
} state;

/* --- groups --- */

/* Class of a patch: its colour and its number of contacts; -1 of what is joined. */
static int *find_classes(peg_arena *arena, const state *s)
{
    const peg_wide_problem *p = s->problem;
    uint64_t *taken = PEG_NEW(arena, uint64_t, p->nb);
    int *class = PEG_NEW(arena, int, p->patches);
    if (!taken || !class) return NULL;
    memset(taken, 0, (size_t)p->nb * sizeof *taken);
    for (int i = 0; i < p->patches; i++) {
        int a = p->patch[i].a, b = p->patch[i].b, colour = 0;
        class[i] = -1;
        if (peg_joined_has(s->joined, &p->patch[i])) continue;
        uint64_t free_ = ~((a >= 0 ? taken[a] : 0) | (b >= 0 ? taken[b] : 0));
        while (colour < COLOURS && !(free_ >> colour & 1)) colour++;
        if (colour < COLOURS && a >= 0) taken[a] |= (uint64_t)1 << colour;
        if (colour < COLOURS && b >= 0) taken[b] |= (uint64_t)1 << colour;
        class[i] = colour * PEG_WIDE_PATCH + p->patch[i].count - 1;
    }
    return class;
}

/* The patches by class, and where each colour begins. */
static int *sort_patches(peg_arena *arena, const state *s, int *begin)
{
    enum { CLASSES = (COLOURS + 1) * PEG_WIDE_PATCH };
    const peg_wide_problem *p = s->problem;
    int at[CLASSES + 1] = {0};
    const int *class = find_classes(arena, s);
    int *order = PEG_NEW(arena, int, p->patches);
    if (!class || !order) return NULL;
    for (int i = 0; i < p->patches; i++)
        if (class[i] >= 0) at[class[i] + 1]++;
    for (int c = 0; c < CLASSES; c++) at[c + 1] += at[c];
    for (int c = 0; c < COLOURS + 2; c++) begin[c] = at[c * PEG_WIDE_PATCH];
    for (int i = 0; i < p->patches; i++)
        if (class[i] >= 0) order[at[class[i]]++] = i;
    return order;
}

static int lanes_of(int colour)
{
    return colour < COLOURS ? PEG_LANES : 1;
}

/* n patches in ascending order of their contacts: lanes with fewer have empty rows. */
static void fill_group(const peg_wide_problem *p, const int *order, int n, wide_group *g)
{
    for (int l = 0; l < PEG_LANES; l++) {
        const peg_wide_patch *patch = &p->patch[order[l < n ? l : 0]];
        g->patch[l] = l < n ? order[l] : -1;
        g->a[l] = l < n && patch->a >= 0 ? patch->a : p->nb;
        g->b[l] = l < n && patch->b >= 0 ? patch->b : p->nb;
    }
    g->contacts = p->patch[order[n - 1]].count;
}

/* Groups of a colour below which threads would wait for each other longer than they work. */
enum { FEW = 6 };

static void add_phase(state *s, int begin, int groups, int is_ordered)
{
    phase *last = &s->phase[s->phases];
    int threads = is_ordered || groups < FEW ? 1 : s->threads;
    if (groups == 0) return;
    for (int i = begin; i < begin + groups; i++)
        for (int l = 0; l < PEG_LANES; l++) {
            wide_group *g = &s->group[i];
            int of = (i - begin) % threads, nb = s->problem->nb;
            g->a[l] += g->a[l] == nb ? of : 0;
            g->b[l] += g->b[l] == nb ? of : 0;
            g->y_of_a[l] = PEG_WIDE_STRIDE * (size_t)g->a[l];
            g->y_of_b[l] = PEG_WIDE_STRIDE * (size_t)g->b[l];
        }
    if (s->phases == 0 || threads > 1 || last[-1].threads > 1)
        *last = (phase){begin, threads}, s->phases++;
    s->phase[s->phases].begin = begin + groups;
}

static int allocate_groups(peg_arena *arena, state *s, const int *begin)
{
    const peg_wide_problem *p = s->problem;
    int groups = 0;
    for (int c = 0; c <= COLOURS; c++)
        groups += (begin[c + 1] - begin[c] + lanes_of(c) - 1) / lanes_of(c);
    s->group = peg_arena_aligned(arena, (size_t)groups * sizeof *s->group);
    s->changed = peg_arena_aligned(arena, (size_t)groups * sizeof *s->changed);
    size_t size = (size_t)PEG_WIDE_STRIDE * (size_t)(p->nb + s->threads) * sizeof *s->y;
    s->y = peg_arena_aligned(arena, size);
    s->before = peg_arena_aligned(arena, size);
    return s->group && s->changed && s->y && s->before;
}

static int allocate_rows(peg_arena *arena, state *s)
{
    int contacts = 0;
    for (int i = 0; i < s->groups; i++) contacts += s->group[i].contacts;
    size_t furthers = (size_t)s->problem->furthers;
    eight_rows *rows = peg_arena_aligned(arena, (size_t)contacts * sizeof *rows);
    further_rows *further = peg_arena_aligned(arena, (size_t)contacts * furthers * sizeof *further);
    for (int i = 0; i < s->groups && rows && further; i++) {
        wide_group *g = &s->group[i];
        g->rows = rows, g->further = further;
        rows += g->contacts;
        further += (size_t)g->contacts * furthers;
    }
    return rows && further;
}

static int make_groups(peg_arena *arena, state *s)
{
    int begin[COLOURS + 2];
    const int *order = sort_patches(arena, s, begin);
    if (!order || !allocate_groups(arena, s, begin)) return 0;
    for (int c = 0; c <= COLOURS; c++) {
        int lanes = lanes_of(c), first = s->groups;
        for (int i = begin[c]; i < begin[c + 1]; i += lanes) {
            int left = begin[c + 1] - i;
            wide_group *g = &s->group[s->groups++];
            fill_group(s->problem, order + i, left < lanes ? left : lanes, g);
            g->colour = c;
        }
        add_phase(s, first, s->groups - first, lanes == 1);
    }
    return allocate_rows(arena, s);
}

/* --- rows --- */

/* What the rows of a group need of the bodies on one side. */
typedef struct side {
    peg_floats inverse_mass, angular[6], target[6];
} side;

PEG_HOT void load_side(const state *s, const int *body, side *out)
{
    const peg_wide_problem *p = s->problem;
    for (int l = 0; l < PEG_LANES; l++) {
        int moves = body[l] < p->nb, i = moves ? body[l] : 0;
        const peg_mass_root *root = &p->root[i];
        out->inverse_mass[l] = moves ? (float)(root->linear * root->linear) : 0;
        for (int k = 0; k < 6; k++) {
            out->angular[k][l] = moves ? (float)root->angular[k] : 0;
            out->target[k][l] = moves ? (float)s->base[i][k] : 0;
        }
    }
}

/* A row along a direction, with its moments about the bodies' centres, or without a direction about
 * an axis. */
typedef struct eight_directions {
    peg_floats d[3], about_a[3], about_b[3], bias, compliance, lambda;
} eight_directions;

typedef struct eight_contacts {
    eight_directions along[ROWS];
    peg_floats arm_a[3], arm_b[3], mu[2], limit[2];
} eight_contacts;

PEG_HOT float limit_of(double limit)
{
    return (float)peg_min(limit, WITHOUT_BOUND);
}

/* Index of a lane's contact k; -1: it has none. */
PEG_HOT int contact_of(const peg_wide_problem *p, const wide_group *g, int l, int k)
{
    int patch = g->patch[l];
    return patch >= 0 && k < p->patch[patch].count ? p->patch[patch].first + k : -1;
}

PEG_HOT void load_contacts(const peg_wide_problem *p, const wide_group *g, int k,
                           eight_contacts *out)
{
    memset(out, 0, sizeof *out);
    for (int l = 0; l < PEG_LANES; l++) {
        int contact = contact_of(p, g, l, k);
        if (contact < 0) continue;
        const peg_wide_contact *c = &p->contact[contact];
        for (int j = 0; j < 3; j++) {
            eight_directions *along = &out->along[j];
            out->along[0].d[j][l] = (float)c->normal[j];
            out->along[1].d[j][l] = (float)c->tangent[j];
            out->arm_a[j][l] = (float)c->arm_a[j];
            out->arm_b[j][l] = (float)c->arm_b[j];
            along->bias[l] = (float)c->bias[j];
            along->compliance[l] = (float)c->compliance[j];
            along->lambda[l] = (float)c->lambda[j];
        }
        for (int j = 0; j < 2; j++) {
            out->mu[j][l] = (float)c->mu[j];
            out->limit[j][l] = limit_of(c->limit[j]);
        }
    }
}

/* The further row r of the contacts k. */
PEG_HOT void load_further(const peg_wide_problem *p, const wide_group *g, int k, int r,
                          eight_directions *along, further_rows *out)
{
    memset(along, 0, sizeof *along);
    out->mu = out->limit = peg_floats_of(0);
    for (int l = 0; l < PEG_LANES; l++) {
        int contact = contact_of(p, g, l, k);
        if (contact < 0) continue;
        const peg_wide_contact *c = &p->contact[contact];
        const peg_wide_further *f = &p->further[contact * p->furthers + r];
        double about_a[3], about_b[3];
        peg_cross(c->arm_a, f->axis, about_a);
        peg_cross(c->arm_b, f->axis, about_b);
        for (int j = 0; j < 3; j++) {
            along->d[j][l] = f->turns ? 0 : (float)f->axis[j];
            along->about_a[j][l] = (float)(f->turns ? f->axis[j] : about_a[j]);
            along->about_b[j][l] = (float)(f->turns ? f->axis[j] : about_b[j]);
        }
        along->bias[l] = (float)f->bias;
        along->compliance[l] = (float)f->compliance;
        along->lambda[l] = (float)f->lambda;
        out->mu[l] = (float)f->mu;
        out->limit[l] = limit_of(f->limit);
    }
}

PEG_HOT void cross(const peg_floats *a, const peg_floats *b, peg_floats *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* How the turning of a body counts in a row, and what v_f adds to its speed. */
PEG_HOT void load_turn(const side *body, const peg_floats *c, const peg_floats *d, float sign,
                       peg_floats *n, peg_floats *beta)
{
    const peg_floats *f = body->angular;
    for (int k = 0; k < 3; k++)
        *beta += sign * (d[k] * body->target[k] + c[k] * body->target[3 + k]);
    n[0] = sign * (f[0] * c[0] + f[1] * c[1] + f[3] * c[2]);
    n[1] = sign * (f[2] * c[1] + f[4] * c[2]);
    n[2] = sign * (f[5] * c[2]);
}

PEG_HOT peg_floats dot(const peg_floats *a, const peg_floats *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Speed of row i by an impulse of 1 N s in row j. */
PEG_HOT peg_floats product(const wide_group *g, const wide_row *i, const wide_row *j)
{
    return (g->inverse_mass[0] + g->inverse_mass[1]) * dot(i->d, j->d) +
           (dot(i->a, j->a) + dot(i->b, j->b));
}

PEG_HOT void load_row(const wide_group *g, const side *a, const side *b,
                      const eight_directions *along, wide_row *row)
{
    for (int j = 0; j < 3; j++) row->d[j] = along->d[j];
    row->beta = along->bias;
    load_turn(a, along->about_a, along->d, 1, row->a, &row->beta);
    load_turn(b, along->about_b, along->d, -1, row->b, &row->beta);
    row->scale = product(g, row, row);
    peg_float_mask moves = row->scale > peg_floats_of(0);
    row->gain = peg_floats_if(moves, 1 / (row->scale + along->compliance), peg_floats_of(0));
    row->lambda = peg_floats_if(moves, along->lambda, peg_floats_of(0));
    row->way = peg_floats_of(0);
}

PEG_WIDE static void load_rows(state *s, int worker)
{
    int furthers = s->problem->furthers;
    for (int i = worker; i < s->groups; i += s->threads) {
        wide_group *g = &s->group[i];
        side a, b;
        load_side(s, g->a, &a);
        load_side(s, g->b, &b);
        g->inverse_mass[0] = a.inverse_mass, g->inverse_mass[1] = b.inverse_mass;
        for (int k = 0; k < g->contacts; k++) {
            eight_contacts c;
            eight_rows *r = &g->rows[k];
            wide_row *row = r->row;
            load_contacts(s->problem, g, k, &c);
            cross(c.along[0].d, c.along[1].d, c.along[2].d);
            for (int j = 0; j < ROWS; j++) {
                cross(c.arm_a, c.along[j].d, c.along[j].about_a);
                cross(c.arm_b, c.along[j].d, c.along[j].about_b);
                load_row(g, &a, &b, &c.along[j], &row[j]);
            }
            peg_float_mask closes =
                (row->lambda > peg_floats_of(0)) | (row->beta < peg_floats_of(0));
            for (int j = 0; j < 2; j++) {
                r->mu[j] = c.mu[j];
                r->limit[j] = peg_floats_if(closes, c.limit[j], peg_floats_of(0));
            }
            r->one_zero = product(g, &row[1], &row[0]);
            r->two_zero = product(g, &row[2], &row[0]);
            r->two_one = product(g, &row[2], &row[1]);
            for (int j = 0; j < furthers; j++) {
                further_rows *f = &g->further[k * furthers + j];
                eight_directions along;
                load_further(s->problem, g, k, j, &along, f);
                load_row(g, &a, &b, &along, &f->row);
                f->limit = peg_floats_if(closes, f->limit, peg_floats_of(0));
            }
        }
    }
}

/* --- iterations --- */

PEG_HOT void gather(const state *s, const size_t *at, peg_floats y[PEG_LANES])
{
    for (int l = 0; l < PEG_LANES; l++) y[l] = *(const peg_floats *)(s->y + at[l]);
    peg_floats_transpose(y);
}

/* The last two are room, and 0: so the compiler need not keep them. */
PEG_HOT void scatter(const state *s, const size_t *at, peg_floats y[PEG_LANES])
{
    for (int k = 6; k < PEG_LANES; k++) y[k] = peg_floats_of(0);
    peg_floats_transpose(y);
    for (int l = 0; l < PEG_LANES; l++) *(peg_floats *)(s->y + at[l]) = y[l];
}

/* Impulses of `rows` rows that follow each other. */
PEG_HOT void push(const wide_group *g, const wide_row *row, const peg_floats *by, int rows,
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
PEG_HOT void find_speeds(const wide_row *row, int rows, const peg_floats *a, const peg_floats *b,
                         peg_floats *speed)
{
    peg_floats apart[3], of_a[ROWS], of_b[ROWS];
    for (int k = 0; k < rows; k++) of_a[k] = dot(row[k].a, a + 3);
    for (int k = 0; k < rows; k++) of_b[k] = dot(row[k].b, b + 3);
    for (int k = 0; k < 3; k++) apart[k] = a[k] - b[k];
    for (int k = 0; k < rows; k++)
        speed[k] = row[k].beta + (dot(row[k].d, apart) + (of_a[k] + of_b[k]));
}

/* What an iteration changed: the largest speed of a row, m/s, and the sum of all squares, J. */
typedef struct changes {
    peg_floats most, sum;
} changes;

/* Takes the impulse to lambda; returns its change. */
PEG_HOT peg_floats set_impulse(wide_row *row, peg_floats lambda, changes *c)
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
    wide_group *group;
    int yields, furthers;
    peg_floats a[PEG_LANES], b[PEG_LANES];
    changes changed;
} visited;

/* With which the row has no speed left. */
PEG_HOT peg_floats wanted_impulse(const visited *v, const wide_row *row, peg_floats speed)
{
    if (v->yields) return row->gain * (row->scale * row->lambda - speed);
    return row->lambda - row->gain * speed;
}

PEG_HOT void visit_normal_row(visited *v, int k, const peg_floats *speed, peg_floats *by)
{
    wide_row *row = v->group->rows[k].row;
    peg_floats lambda = wanted_impulse(v, row, speed[0]);
    by[0] = set_impulse(row, peg_floats_max(lambda, peg_floats_of(0)), &v->changed);
}

PEG_HOT void visit_first_friction_row(visited *v, int k, const peg_floats *speed, peg_floats *by)
{
    eight_rows *r = &v->group->rows[k];
    wide_row *row = r->row;
    peg_floats lambda = wanted_impulse(v, row + 1, speed[1] + r->one_zero * by[0]);
    by[1] = set_impulse(row + 1, within(lambda, r->mu[0] * row->lambda + r->limit[0]), &v->changed);
}

PEG_HOT void visit_second_friction_row(visited *v, int k, const peg_floats *speed, peg_floats *by)
{
    eight_rows *r = &v->group->rows[k];
    wide_row *row = r->row;
    peg_floats full = speed[2] + r->two_zero * by[0] + r->two_one * by[1];
    peg_floats lambda = wanted_impulse(v, row + 2, full);
    by[2] = set_impulse(row + 2, within(lambda, r->mu[1] * row->lambda + r->limit[1]), &v->changed);
}

/* The contacts k of n groups. */
PEG_HOT void visit_contacts(visited *v, int n, int k, int rows)
{
    peg_floats by[ABREAST][ROWS], speed[ABREAST][ROWS];
    for (int i = 0; i < n; i++)
        find_speeds(v[i].group->rows[k].row, rows, v[i].a, v[i].b, speed[i]);
    for (int i = 0; i < n; i++) visit_normal_row(&v[i], k, speed[i], by[i]);
    for (int i = 0; i < n && rows > 1; i++) visit_first_friction_row(&v[i], k, speed[i], by[i]);
    for (int i = 0; i < n && rows > 1; i++) visit_second_friction_row(&v[i], k, speed[i], by[i]);
    for (int i = 0; i < n; i++) {
        const wide_row *row = v[i].group->rows[k].row;
        PEG_LOAD_AGAIN(row);
        push(v[i].group, row, by[i], rows, v[i].a, v[i].b);
    }
}

/* The further rows of contacts k of n groups, each after the one before. */
PEG_HOT void visit_further_rows(visited *v, int n, int k)
{
    for (int j = 0; j < v->furthers; j++)
        for (int i = 0; i < n; i++) {
            wide_group *g = v[i].group;
            further_rows *f = &g->further[k * v->furthers + j];
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
PEG_HOT void extrapolate(wide_row *row, int rows, peg_floats beta)
{
    for (int k = 0; k < rows; k++) {
        peg_floats on = beta * row[k].way;
        row[k].lambda += on;
        row[k].way = on;
    }
}

PEG_HOT void start_contact(visited *v, int k, int rows)
{
    const wide_row *row = v->group->rows[k].row;
    peg_floats lambda[ROWS] = {row[0].lambda, row[1].lambda, row[2].lambda};
    push(v->group, row, lambda, rows, v->a, v->b);
    for (int j = 0; j < v->furthers; j++) {
        const wide_row *further = &v->group->further[k * v->furthers + j].row;
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
PEG_HOT void visit_abreast(state *s, int first, int apart, int n, int rows, int yields, visit kind,
                           float beta, peg_floats *most)
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
PEG_HOT float visit_share(state *s, int first, int end, int apart, int rows, int yields, visit kind,
                          float beta)
{
    peg_floats most = peg_floats_of(0);
    float largest = 0;
    for (int i = first, next; i < end; i = next) {
        int colour = s->group[i].colour;
        next = i + apart;
        if (next < end && colour < COLOURS && s->group[next].colour == colour) {
            visit_abreast(s, i, apart, 2, rows, yields, kind, beta, &most);
            next += apart;
        } else {
            visit_abreast(s, i, apart, 1, rows, yields, kind, beta, &most);
        }
    }
    for (int l = 0; l < PEG_LANES; l++) largest = most[l] > largest ? most[l] : largest;
    return largest;
}

PEG_WIDE static float visit_groups(state *s, int k, int worker, visit kind, float beta)
{
    const phase *p = &s->phase[k];
    int first = p->begin + worker, end = p[1].begin;
    if (!s->has_friction && s->yields)
        return visit_share(s, first, end, p->threads, 1, 1, kind, beta);
    if (!s->has_friction) return visit_share(s, first, end, p->threads, 1, 0, kind, beta);
    if (s->yields) return visit_share(s, first, end, p->threads, ROWS, 1, kind, beta);
    return visit_share(s, first, end, p->threads, ROWS, 0, kind, beta);
}

/* Of the first thread: what is joined. */
static float visit_joined(state *s, visit kind, float beta)
{
    if (kind == START)
        peg_joined_start(s->joined, s->y);
    else
        s->joined_change = peg_joined_visit(s->joined, beta, s->y);
    return s->joined_change.most;
}

/* One iteration; all threads return the largest change of a row. */
static double pass(state *s, visit kind, int worker, int parity, float beta)
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
PEG_WIDE static void extrapolate_bodies(state *s, int worker, float beta)
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
static double squares(const state *s)
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
static float lane_speed(const state *s, const wide_group *g, int l, const wide_row *row)
{
    const float *a = s->y + g->y_of_a[l], *b = s->y + g->y_of_b[l];
    float speed = row->beta[l];
    for (int k = 0; k < 3; k++)
        speed += row->d[k][l] * (a[k] - b[k]) + row->a[k][l] * a[3 + k] + row->b[k][l] * b[3 + k];
    return speed;
}

static void update_limits(const state *s, int worker)
{
    const peg_wide_problem *p = s->problem;
    if (s->joined && worker == 0) peg_joined_update_limits(s->joined, s->y);
    for (int i = worker; i < s->groups; i += s->threads) {
        const wide_group *g = &s->group[i];
        for (int l = 0; l < PEG_LANES && g->patch[l] >= 0; l++)
            for (int k = 0; k < p->patch[g->patch[l]].count; k++) {
                const peg_wide_contact *c = &p->contact[p->patch[g->patch[l]].first + k];
                eight_rows *r = &g->rows[k];
                int is_closed =
                    r->row->lambda[l] > 0 || (double)lane_speed(s, g, l, r->row) <= p->tolerance;
                for (int j = 0; j < 2; j++) r->limit[j][l] = is_closed ? limit_of(c->limit[j]) : 0;
                for (int j = 0; j < p->furthers; j++) {
                    double limit = p->further[(c - p->contact) * p->furthers + j].limit;
                    g->further[k * p->furthers + j].limit[l] = is_closed ? limit_of(limit) : 0;
                }
            }
    }
    peg_pool_meet(p->pool);
}

static int is_enough(const state *s, int iterations, double largest, double sum)
{
    const peg_wide_problem *p = s->problem;
    if (s->has_limits && iterations <= FIRST_UPDATE) return 0;
    return largest <= p->tolerance || (iterations >= p->least && sum <= p->enough);
}

static void iterate(void *data, int worker)
{
    state *s = data;
    const peg_wide_problem *p = s->problem;
    double largest = INFINITY, sum = INFINITY;
    momentum m = {.t = 1, .least = INFINITY};
    float beta = 0;
    int i = 0, update = FIRST_UPDATE;
    load_rows(s, worker);
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

/* The visits of threads that share them, and of the one that has most. */
static void count_visits(const state *s, peg_wide_result *result)
{
    if (s->threads == 1) return;
    result->meetings = 1 + (long)(s->phases + 1) * (result->iterations + 1);
    for (int k = 0; k < s->phases; k++) {
        int of[PEG_THREADS_MAX] = {0}, threads = s->phase[k].threads, most = 0;
        for (int i = s->phase[k].begin; i < s->phase[k + 1].begin; i++) {
            int *own = &of[(i - s->phase[k].begin) % threads];
            *own += s->group[i].contacts;
            most = *own > most ? *own : most;
            result->visits += (long)s->group[i].contacts * result->iterations;
        }
        result->most += (long)most * result->iterations;
    }
}

/* --- the answer --- */

static void take_impulses(void *data, int begin, int end)
{
    const state *s = data;
    const peg_wide_problem *p = s->problem;
    int friction = !p->frictionless;
    for (int i = begin; i < end; i++) {
        const wide_group *g = &s->group[i];
        for (int l = 0; l < PEG_LANES && g->patch[l] >= 0; l++)
            for (int k = 0; k < p->patch[g->patch[l]].count; k++) {
                peg_wide_contact *c = &p->contact[p->patch[g->patch[l]].first + k];
                const wide_row *row = g->rows[k].row;
                c->lambda[0] = row[0].lambda[l];
                for (int j = 0; j < ROWS - 1; j++) {
                    double limit = g->rows[k].limit[j][l] > 0 ? c->limit[j] : 0;
                    double bound = c->mu[j] * c->lambda[0] + limit;
                    c->lambda[j + 1] =
                        friction ? peg_clamp(row[j + 1].lambda[l], -bound, bound) : 0;
                }
                for (int j = 0; j < p->furthers; j++) {
                    peg_wide_further *f = &p->further[(c - p->contact) * p->furthers + j];
                    const further_rows *rows = &g->further[k * p->furthers + j];
                    double bound = f->mu * c->lambda[0] + (rows->limit[l] > 0 ? f->limit : 0);
                    f->lambda = peg_clamp(rows->row.lambda[l], -bound, bound);
                }
            }
    }
}

/* about: a moment about the contact, N m s; null: none. */
static void push_body(const peg_mass_root *root, const double *impulse, const double *about,
                      const double *arm, double sign, double *v)
{
    const double *f = root->angular;
    double moment[3], y[3];
    peg_cross(arm, impulse, moment);
    if (about) peg_add_scaled(moment, 1, about, moment);
    y[0] = f[0] * moment[0] + f[1] * moment[1] + f[3] * moment[2];
    y[1] = f[2] * moment[1] + f[4] * moment[2];
    y[2] = f[5] * moment[2];
    for (int k = 0; k < 3; k++) v[k] += sign * root->linear * root->linear * impulse[k];
    v[3] += sign * (f[0] * y[0]);
    v[4] += sign * (f[1] * y[0] + f[2] * y[1]);
    v[5] += sign * (f[3] * y[0] + f[4] * y[1] + f[5] * y[2]);
}

static void find_velocities(const peg_wide_problem *p, peg_vec6 *v)
{
    memcpy(v, p->target, (size_t)p->nb * sizeof *v);
    for (int i = 0; i < p->patches; i++) {
        const peg_wide_patch *patch = &p->patch[i];
        for (int k = 0; k < patch->count; k++) {
            const peg_wide_contact *c = &p->contact[patch->first + k];
            double impulse[3], about[3] = {0}, third[3];
            if (!peg_wide_acts(c)) continue;
            peg_cross(c->normal, c->tangent, third);
            for (int j = 0; j < 3; j++)
                impulse[j] = c->lambda[0] * c->normal[j] + c->lambda[1] * c->tangent[j] +
                             c->lambda[2] * third[j];
            for (int j = 0; j < p->furthers; j++) {
                const peg_wide_further *f = &p->further[(patch->first + k) * p->furthers + j];
                double *sum = f->turns ? about : impulse;
                peg_add_scaled(sum, f->lambda, f->axis, sum);
            }
            const double *moment = p->furthers ? about : NULL;
            if (patch->a >= 0)
                push_body(&p->root[patch->a], impulse, moment, c->arm_a, 1, v[patch->a]);
            if (patch->b >= 0)
                push_body(&p->root[patch->b], impulse, moment, c->arm_b, -1, v[patch->b]);
        }
    }
}

/* What the rows of the contacts have. */
static void look_at_contacts(state *s)
{
    const peg_wide_problem *p = s->problem;
    int n = 0;
    for (int i = 0; i < p->patches; i++) n = peg_max(n, p->patch[i].first + p->patch[i].count);
    for (int i = 0; i < n; i++) {
        const peg_wide_contact *c = &p->contact[i];
        for (int j = 0; j < ROWS; j++) s->yields |= c->compliance[j] > 0;
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
    state s = {.problem = p, .result = result, .threads = peg_pool_threads(p->pool)};
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
    if (!make_groups(arena, &s)) return 0;
    size_t size = (size_t)PEG_WIDE_STRIDE * (size_t)(p->nb + s.threads) * sizeof *s.y;
    memset(s.y, 0, size);
    memset(s.before, 0, size);
    peg_pool_together(p->pool, iterate, &s);
    count_visits(&s, result);
    peg_pool_loop(p->pool, take_impulses, &s, s.groups);
    if (s.joined) peg_joined_take_impulses(s.joined);
    find_velocities(p, v);
    int holds = !s.joined || peg_joined_hold(s.joined, v);
    peg_arena_back(arena, mark);
    return holds;
}
