/* A parametric active set: Lemke's method from an advanced start (Cottle, Pang, Stone, The Linear
 * Complementarity Problem, sections 4.4 and 4.5), with factors of a dense matrix instead of a
 * tableau.
 *
 * Each row is open (u = 0), held (s = 0), or slides: friction at a bound, u_f = +-(limit + mu u_n).
 * The start u, some iterations of projected Gauss-Seidel, is the exact answer of a problem nearby,
 *
 *     s = W u + beta + (1 - t) e,     t = 0
 *
 * where e takes from each row what is wrong with its s. From there t goes to 1. On the way the
 * impulses of the held rows H change by
 *
 *     (W_HH + sum +-mu W_Hf) du_H / dt = e_H
 *
 * (delassus_basis.h), the sum over sliding rows f, in the columns of their normal rows, until a
 * held row meets a bound or the s of another one vanishes. That row changes its state, and t goes
 * on in the direction in which the row leaves where it was: backwards, at times, where sliding
 * friction makes the matrix indefinite. Where the path leads nowhere, it is followed once more from
 * u = 0.
 *
 * Rows of a face are dependent. The equations have PEG_HELD_SHIFT on their diagonal, which is a
 * compliance about the start of the path, and are solved again for what it leaves at its end: a
 * proximal point iteration, which leaves alone what the equations do not determine. Of that,
 * contacts share their loads before the first path: of all normal impulses that act alike, as those
 * at the ends of a line between two jaws, those of least norm are what equal compliances lead to in
 * the limit of 0. One end that bears all would hold no moment by friction. */
#include "peg/lcp/delassus.h"

#include <math.h>
#include <string.h>

#include "peg/lcp/delassus_basis.h"

/* Paths from one point to the next until the residual is within the tolerance: in piles 1 % of the
 * problems need a second one, for what the compliance has changed about the states. */
enum { PATHS = 4 };
/* One that leaves more than this share of the residual gets no further: without that, problems of
 * random worlds that have no answer take three times the work of all others. Tolerances up to which
 * what it leaves is an answer all the same. */
static const double HALVED = 0.5, NEAR = 100;
/* Factorisations until contacts that would pull are found. */
enum { SHARINGS = 3 };
/* Changes of state on a path, per row. From u = 0 each row that acts takes one. */
enum { CHANGES = 2 };
/* Iterations of Gauss-Seidel before the first path: with 8 of them a pile of 10 boxes takes 1.03
 * times the instructions, with 16 1.08 times. They end where impulses change by less than
 * APPROACHED units. A warm start whose residual is below WARM units needs none. */
enum { ITERATIONS = 4 };
static const double APPROACHED = 1e-5, WARM = 1e-3;

/* Share of the products of a vector with W that count as work: with it the work of problems falls
 * as their instructions have, since a change of state takes no factorisation. */
static const double VECTOR_PRODUCT = 0.25;
/* What rounding may change the s of held rows by, relative to the rates of impulses, before the
 * equations are factorised again: after changes of dependent rows. Without that chains and
 * containers take 1.2 to 1.4 times the changes of state, with 1e-13 as many as with 1e-12. */
static const double ACCURATE = 1e-12;

/* The bound of a row: those of an unbounded one have no normal row and no limit. */
typedef struct row_bound {
    int is_bounded, normal;
    double mu, limit;
} row_bound;

/* What follows the path begins with vectors, whose numbers beyond m are 0. */
typedef struct path {
    peg_delassus D;
    int m, vectors;            /* of D */
    const peg_scaled_row *row; /* of D */
    row_bound *bound;          /* m */
    double *u, *du, *e;        /* m: impulses, their rates along the path, what moves it */
    double *beta;              /* m: of the rows */
    double *q, *e_q;           /* equations: impulses; what is wrong with their s, as in
                                  delassus_matrix.h */
    double off;                /* the largest of these */
    int is_current;            /* s and e_q are those of u and q */
    peg_doubles *answer;       /* vectors: change of s by what the equations answer */
    double *y;                 /* n: N u */
    double *before;            /* m: u before a change */
    peg_doubles *s, *ds;       /* vectors: s + (1 - t) e; its rate along the path */
    peg_row_state *state;      /* m */
    peg_basis basis;           /* the equations of the states */
    peg_term *term;            /* m: of a sum */
    double *b;                 /* m: right side */
    peg_doubles *by;           /* vectors: solution */
    double products;           /* of numbers, so far */
} path;

static double *new_vectors(peg_arena *arena, int vectors)
{
    peg_doubles *v = peg_arena_aligned(arena, (size_t)vectors * sizeof *v);
    if (v && vectors) v[vectors - 1] = peg_doubles_of(0);
    return (double *)v;
}

static void load_bounds(path *w)
{
    for (int i = 0; i < w->m; i++) {
        const peg_scaled_row *row = &w->row[i];
        w->beta[i] = row->beta;
        w->bound[i] = (row_bound){.normal = -1};
        if (!row->bounded) continue;
        w->bound[i] = (row_bound){1, row->normal, row->normal >= 0 ? row->mu : 0, row->limit};
    }
}

static peg_outcome create(peg_arena *arena, const peg_scaled *scaled, path *w)
{
    *w = (path){.products = 0};
    peg_outcome outcome = peg_delassus_create(arena, scaled, &w->D);
    if (outcome != PEG_SOLVED) return outcome;
    int m = w->D.m, vectors = w->D.vectors;
    w->m = m, w->vectors = vectors, w->row = w->D.row;
    double **room[] = {&w->u, &w->du, &w->e, &w->beta, &w->b, &w->before};
    peg_doubles **room_of[] = {&w->s, &w->ds, &w->by, &w->answer};
    int has_room = 1;
    for (size_t k = 0; k < sizeof room / sizeof *room; k++)
        has_room &= (*room[k] = new_vectors(arena, vectors)) != NULL;
    for (size_t k = 0; k < sizeof room_of / sizeof *room_of; k++)
        has_room &= (*room_of[k] = (peg_doubles *)new_vectors(arena, vectors)) != NULL;
    w->bound = PEG_NEW(arena, row_bound, m);
    w->q = PEG_NEW(arena, double, w->D.equations);
    w->e_q = PEG_NEW(arena, double, w->D.equations);
    w->y = PEG_NEW(arena, double, scaled->n);
    w->state = PEG_NEW(arena, peg_row_state, m);
    w->term = PEG_NEW(arena, peg_term, m);
    has_room = has_room && w->bound && w->q && w->e_q && w->y && w->state && w->term &&
               peg_basis_create(arena, &w->D, w->state, w->e, &w->basis);
    if (!has_room) return PEG_OUT_OF_MEMORY;
    load_bounds(w);
    return PEG_SOLVED;
}

/* --- speeds --- */

static inline double s_of(const path *w, int i)
{
    return ((const double *)w->s)[i];
}

static inline const peg_scaled_row *equation(const path *w, int j)
{
    return &w->D.scaled->row[w->D.equation[j]];
}

/* to += W u */
PEG_WIDE static void multiply(path *w, const double *u, peg_doubles *to)
{
    int n = 0;
    for (int i = 0; i < w->m; i++) {
        if (u[i] == 0) continue;
        w->term[n++] = (peg_term){peg_delassus_row(&w->D, i), u[i]};
    }
    peg_add_terms(w->term, n, 0, w->vectors, to);
}

/* y = N u */
static void find_response(path *w)
{
    memset(w->y, 0, (size_t)w->D.scaled->n * sizeof *w->y);
    for (int i = 0; i < w->m; i++)
        if (w->u[i] != 0) peg_scaled_add(&w->row[i], w->u[i], w->y);
    for (int j = 0; j < w->D.equations; j++) peg_scaled_add(equation(w, j), w->q[j], w->y);
}

/* s, and what the equations answer to theirs. */
static void find_speeds(path *w)
{
    double *s = (double *)w->s;
    if (w->is_current) return;
    w->is_current = 1;
    w->off = 0;
    if (!w->D.equations) {
        memcpy(s, w->beta, (size_t)w->vectors * sizeof *w->s);
        multiply(w, w->u, w->s);
        return;
    }
    find_response(w);
    for (int i = 0; i < w->m; i++) s[i] = peg_scaled_dot(&w->row[i], w->y) + w->row[i].beta;
    for (int j = 0; j < w->D.equations; j++) {
        w->e_q[j] = -(peg_scaled_dot(equation(w, j), w->y) + equation(w, j)->beta);
        w->off = peg_max(w->off, fabs(w->e_q[j]));
    }
    peg_delassus_begin(&w->D, w->e_q);
    peg_delassus_answer(&w->D, w->e_q, w->answer);
}

/* Change of s_i by what the equations answer. */
static inline double answer_of(const path *w, int i)
{
    return w->D.equations ? ((const double *)w->answer)[i] : 0;
}

/* The impulses of the equations after u has changed from `before`. */
static void change_equations(path *w)
{
    w->is_current = 0;
    if (!w->D.equations) return;
    for (int i = 0; i < w->m; i++) w->du[i] = w->u[i] - w->before[i];
    peg_delassus_end(&w->D, (const peg_doubles *)w->du, w->e_q);
    for (int j = 0; j < w->D.equations; j++) w->q[j] += w->e_q[j];
}

/* --- bounds --- */

/* Largest |u_i| of a bounded row. */
static inline double bound_of(const path *w, int i)
{
    const row_bound *of = &w->bound[i];
    return of->limit + (of->normal >= 0 ? of->mu * peg_max(w->u[of->normal], 0) : 0);
}

/* u of row i between its bounds. */
static inline double project(const path *w, int i, double u)
{
    if (!w->bound[i].is_bounded) return u > 0 ? u : 0;
    double bound = bound_of(w, i);
    return peg_clamp(u, -bound, bound);
}

/* One iteration of projected Gauss-Seidel; returns the largest change. */
PEG_WIDE static double iterate(path *w)
{
    double most = 0;
    for (int i = 0; i < w->m; i++) {
        if (w->u[i] == 0 && project(w, i, -s_of(w, i)) == 0) continue;
        const peg_doubles *W = peg_delassus_row(&w->D, i);
        double own = ((const double *)W)[i]; /* joints may leave nothing of a row */
        double u = project(w, i, w->u[i] - s_of(w, i) / peg_max(own, PEG_HELD_SHIFT)),
               by = u - w->u[i];
        if (by == 0) continue;
        w->u[i] = u;
        for (int j = 0; j < w->vectors; j++) w->s[j] += by * W[j];
        most = peg_max(most, fabs(by));
    }
    w->products += (double)w->m * w->m;
    return most;
}

/* Natural residual |u - project(u - s)|, the largest of a row. */
static double residual(const path *w)
{
    double worst = w->off;
    for (int i = 0; i < w->m; i++) {
        double by = fabs(w->u[i] - project(w, i, w->u[i] - s_of(w, i)));
        if (!(by <= worst)) worst = isnan(by) ? INFINITY : by;
    }
    return worst;
}

/* How friction of a contact that begins to bear will act. */
static peg_row_state opposed(double s)
{
    return s > 0 ? PEG_ROW_DOWN : PEG_ROW_UP;
}

/* How row i, whose normal row has its state, acts at the start of a path: as u - s tells, but what
 * is at a bound stays there. */
static peg_row_state start_state(const path *w, int i)
{
    const row_bound *of = &w->bound[i];
    double u = w->u[i], z = u - s_of(w, i);
    if (!of->is_bounded) return z > 0 && u > 0 ? PEG_ROW_HELD : PEG_ROW_OPEN;
    if (of->limit == 0 && (of->normal < 0 || w->state[of->normal] == PEG_ROW_OPEN))
        return PEG_ROW_OPEN;
    double bound = bound_of(w, i);
    if (bound == 0) return opposed(s_of(w, i));
    return z > bound || u >= bound     ? PEG_ROW_UP
           : z < -bound || u <= -bound ? PEG_ROW_DOWN
                                       : PEG_ROW_HELD;
}

static inline void set_impulse(path *w, int i, double u)
{
    w->is_current &= w->u[i] == u;
    w->u[i] = u;
}

/* A row that is not held, to where it is kept. */
static inline void keep_bound(path *w, int i)
{
    peg_row_state state = w->state[i];
    if (state == PEG_ROW_HELD) return;
    double bound = state == PEG_ROW_OPEN ? 0 : bound_of(w, i);
    set_impulse(w, i, state == PEG_ROW_DOWN ? -bound : bound);
}

static void keep_bounds(path *w)
{
    for (int i = 0; i < w->m; i++) keep_bound(w, i);
}

/* --- the path --- */

/* Where the state of a row changes first. */
typedef struct path_event {
    double step; /* change of t */
    int row;     /* -1: none */
    peg_row_state next;
} path_event;

/* du and ds for a change of t by 1. */
PEG_WIDE static void find_rates(path *w)
{
    const double *x = (const double *)w->basis.x;
    const peg_doubles *e = (const peg_doubles *)w->e, *du = (const peg_doubles *)w->du;
    for (int i = 0; i < w->m; i++) {
        peg_row_state state = w->state[i];
        const row_bound *of = &w->bound[i];
        double rate = x[i];
        if (state != PEG_ROW_HELD) {
            rate = state != PEG_ROW_OPEN && of->normal >= 0 ? of->mu * w->du[of->normal] : 0;
            if (state == PEG_ROW_DOWN) rate = -rate;
        }
        w->du[i] = rate;
    }
    for (int j = 0; j < w->vectors; j++) w->ds[j] = PEG_HELD_SHIFT * du[j] - e[j];
    multiply(w, w->du, w->ds);
    w->products += VECTOR_PRODUCT * w->m * w->m;
}

/* For a change of t by -1. */
static void turn_rates(path *w)
{
    for (int i = 0; i < w->m; i++) w->du[i] = -w->du[i];
    for (int j = 0; j < w->vectors; j++) w->ds[j] = -w->ds[j];
}

/* Whether the rates leave the s of held rows at what their compliance asks for. */
static int are_accurate(const path *w)
{
    double most = 0, off = 0;
    for (int i = 0; i < w->m; i++) {
        if (w->state[i] != PEG_ROW_HELD) continue;
        most = peg_max(most, fabs(w->du[i]));
        off = peg_max(off, fabs(((const double *)w->ds)[i]));
    }
    return off <= ACCURATE * most;
}

/* A row changes its state where `value`, which changes by `rate`, becomes 0. */
static inline void meet(double value, double rate, int i, peg_row_state next, path_event *first)
{
    if (!(rate < 0) || !(peg_max(value, 0) < first->step * -rate)) return;
    *first = (path_event){peg_max(value, 0) / -rate, i, next};
}

static inline void meet_bounds(const path *w, int i, path_event *first)
{
    const row_bound *of = &w->bound[i];
    double u = w->u[i], du = w->du[i], bound = bound_of(w, i);
    double grows = of->normal >= 0 ? of->mu * w->du[of->normal] : 0;
    meet(bound - u, grows - du, i, PEG_ROW_UP, first);
    meet(bound + u, grows + du, i, PEG_ROW_DOWN, first);
}

/* The first event within `step`. */
static path_event find_event(const path *w, double step)
{
    path_event first = {step, -1, PEG_ROW_HELD};
    const double *s = (const double *)w->s, *ds = (const double *)w->ds;
    for (int i = 0; i < w->m; i++) {
        peg_row_state state = w->state[i];
        int is_bounded = w->bound[i].is_bounded;
        if (state == PEG_ROW_HELD && is_bounded)
            meet_bounds(w, i, &first);
        else if (state == PEG_ROW_HELD)
            meet(w->u[i], w->du[i], i, PEG_ROW_OPEN, &first);
        else if (state == PEG_ROW_UP)
            meet(-s[i], -ds[i], i, PEG_ROW_HELD, &first);
        else if (state == PEG_ROW_DOWN || !is_bounded)
            meet(s[i], ds[i], i, PEG_ROW_HELD, &first);
    }
    return first;
}

/* How fast row i leaves the state `before`. */
static double leaves(const path *w, int i, peg_row_state before)
{
    const row_bound *of = &w->bound[i];
    double ds = ((const double *)w->ds)[i], du = w->du[i];
    if (w->state[i] != PEG_ROW_HELD) return w->state[i] == PEG_ROW_UP ? -ds : ds;
    if (!of->is_bounded) return du;
    double grows = of->normal >= 0 ? of->mu * w->du[of->normal] : 0;
    return grows + (before == PEG_ROW_UP ? -du : du);
}

/* A contact that opens has no friction. */
static void change_state(path *w, int i, peg_row_state next)
{
    w->state[i] = next;
    keep_bound(w, i);
    if (next == PEG_ROW_HELD) ((double *)w->s)[i] = 0;
    if (w->bound[i].is_bounded) return;
    for (int f = i + 1; f < w->m && w->bound[f].is_bounded; f++) {
        if (w->bound[f].normal != i || w->bound[f].limit != 0) continue;
        w->state[f] = next == PEG_ROW_OPEN ? PEG_ROW_OPEN : opposed(s_of(w, f));
        keep_bound(w, f);
    }
}

/* u and s after `step`. */
PEG_WIDE static void advance(path *w, double step)
{
    peg_doubles *u = (peg_doubles *)w->u;
    const peg_doubles *du = (const peg_doubles *)w->du;
    w->is_current = 0;
    for (int j = 0; j < w->vectors; j++) {
        u[j] += step * du[j];
        w->s[j] += step * w->ds[j];
    }
}

/* The rates where equations of all states are solved again if they are not accurate. Returns 0 if
 * that fails. */
static int find_accurate_rates(path *w)
{
    find_rates(w);
    if (!w->basis.changes || are_accurate(w)) return 1;
    if (!peg_basis_begin(&w->basis)) return 0;
    find_rates(w);
    return 1;
}

/* Follows the path from t = 0. Returns whether it ends at t = 1. */
static int follow(path *w)
{
    double t = 0;
    path_event event = {.row = -1};
    peg_row_state before = PEG_ROW_OPEN;
    if (!peg_basis_begin(&w->basis)) return 0;
    for (int k = 0; k <= CHANGES * w->m; k++) {
        if (!find_accurate_rates(w)) return 0;
        int is_back = event.row >= 0 && !(leaves(w, event.row, before) > 0);
        if (is_back) turn_rates(w);
        event = find_event(w, is_back ? INFINITY : 1 - t);
        if (!(event.step < INFINITY)) return 0;
        advance(w, event.step);
        t += is_back ? -event.step : event.step;
        if (event.row < 0) return 1;
        before = w->state[event.row];
        change_state(w, event.row, event.next);
        if (!peg_basis_follow(&w->basis, event.row)) return 0;
    }
    return 0;
}

/* Solves the equations of the last states for what their shift has left, down to `enough`. */
static void refine(path *w, double enough)
{
    double last = INFINITY;
    for (int k = 0; k < PEG_SOLUTIONS; k++) {
        keep_bounds(w);
        find_speeds(w);
        double most = w->off;
        for (int i = 0; i < w->m; i++)
            if (w->state[i] == PEG_ROW_HELD) most = peg_max(most, fabs(s_of(w, i)));
        if (!(most > enough && most < PEG_GETS_ON * last)) return;
        last = most;
        for (int i = 0; i < w->m; i++)
            w->b[i] = w->state[i] == PEG_ROW_HELD ? -s_of(w, i) - answer_of(w, i) : 0;
        peg_basis_solve(&w->basis, w->b, w->by);
        memcpy(w->before, w->u, (size_t)w->m * sizeof *w->u);
        for (int i = 0; i < w->m; i++)
            if (w->state[i] == PEG_ROW_HELD) w->u[i] += ((const double *)w->by)[i];
        keep_bounds(w);
        change_equations(w);
    }
    find_speeds(w);
}

/* The states at t = 0, and e, of which s keeps the sign that a state asks for: by more where they
 * differ in sign, by another share in each row, so that these rows follow one by one. */
static void begin_path(path *w)
{
    double *s = (double *)w->s;
    for (int i = 0; i < w->m; i++) w->state[i] = start_state(w, i);
    keep_bounds(w);
    find_speeds(w);
    memcpy(w->before, w->u, (size_t)w->m * sizeof *w->u);
    for (int i = 0; i < w->m; i++) {
        double share = 1 + (i + 1.0) / w->m;
        int opens = w->state[i] == PEG_ROW_OPEN && w->bound[i].is_bounded;
        int is_wrong = w->state[i] == PEG_ROW_UP ? s[i] > 0 : s[i] < 0;
        double e = w->state[i] == PEG_ROW_HELD ? -s[i] : is_wrong && !opens ? -share * s[i] : 0;
        s[i] += e;
        w->e[i] = e - answer_of(w, i);
    }
    w->is_current = 0;
}

/* --- shares of a load --- */

/* Whether row i is of a contact whose load bounds its friction, and which bears or could: s = 0. */
static int may_share(const path *w, int i, double closed)
{
    const row_bound *friction = i + 1 < w->m ? &w->bound[i + 1] : NULL;
    int has_friction = friction && friction->normal == i && friction->mu > 0;
    return has_friction && (w->u[i] > 0 || fabs(s_of(w, i)) <= closed);
}

/* by: what of the impulses of contacts that may share acts on no body, the part of u along the null
 * space of their K, which K^-1 u makes 1 / PEG_HELD_SHIFT times as large. Those that would have to
 * pull bear nothing. Returns 0 if none is left. */
static int find_self_stress(path *w, double closed)
{
    const double *by = (const double *)w->by;
    int pulls = 1;
    for (int i = 0; i < w->m; i++) {
        int is_sharer = !w->bound[i].is_bounded && may_share(w, i, closed);
        w->state[i] = is_sharer ? PEG_ROW_HELD : PEG_ROW_OPEN;
        w->b[i] = is_sharer ? w->u[i] : 0;
    }
    for (int tries = 0; pulls && tries < SHARINGS; tries++) {
        pulls = 0;
        if (!peg_basis_factorise(&w->basis) || w->basis.held < 2) return 0;
        peg_basis_solve(&w->basis, w->b, w->by);
        for (int i = 0; i < w->m; i++) {
            if (w->state[i] != PEG_ROW_HELD || w->u[i] > 0 || by[i] < 0) continue;
            w->state[i] = PEG_ROW_OPEN;
            pulls = 1;
        }
    }
    return !pulls;
}

/* Change of u_i that takes the self-stress away. */
static double sharing(const path *w, int i)
{
    if (w->state[i] != PEG_ROW_HELD) return 0;
    return -PEG_HELD_SHIFT * ((const double *)w->by)[i];
}

/* Of the changes, up to which all contacts press and hold their friction. */
static double find_share(const path *w)
{
    path_event first = {1, -1, PEG_ROW_HELD};
    for (int i = 0; i < w->m; i++) {
        const row_bound *of = &w->bound[i];
        if (w->state[i] == PEG_ROW_HELD) meet(w->u[i], sharing(w, i), i, PEG_ROW_OPEN, &first);
        if (of->normal < 0) continue;
        double room = bound_of(w, i) - fabs(w->u[i]);
        meet(room, of->mu * sharing(w, of->normal), i, PEG_ROW_UP, &first);
    }
    return first.step;
}

static void share_loads(path *w, double closed)
{
    if (!find_self_stress(w, closed)) return;
    double share = find_share(w);
    memcpy(w->before, w->u, (size_t)w->m * sizeof *w->u);
    for (int i = 0; i < w->m; i++) w->u[i] += share * sharing(w, i);
    change_equations(w);
    find_speeds(w);
}

/* --- paths --- */

static void project_all(path *w)
{
    for (int i = 0; i < w->m; i++) set_impulse(w, i, project(w, i, w->u[i]));
}

/* Whether the residual fell to the tolerance, or came near it where rounding keeps it above: where
 * large impulses cancel. The certificate decides on that. */
static int is_answer(double now, double tolerance, double last)
{
    return now <= tolerance || (now <= NEAR * tolerance && now > HALVED * last);
}

/* From u and s, until that is an answer, or a path does not halve the residual: rows contradict
 * each other. */
static int follow_paths(path *w, double tolerance)
{
    double last = INFINITY;
    if (residual(w) <= PEG_ROUNDED_RESIDUAL * tolerance) return 1;
    for (int k = 0; k < PATHS; k++) {
        begin_path(w);
        if (!follow(w)) return 0;
        keep_bounds(w);
        change_equations(w);
        refine(w, PEG_ROUNDED_RESIDUAL * tolerance);
        double now = residual(w);
        if (is_answer(now, tolerance, last)) return 1;
        if (now > HALVED * last) return 0;
        last = now;
        project_all(w);
        find_speeds(w);
    }
    return 0;
}

/* Some iterations of projected Gauss-Seidel. */
static void approach(path *w, double unit)
{
    memcpy(w->before, w->u, (size_t)w->m * sizeof *w->u);
    for (int i = 0; i < w->m; i++) ((double *)w->s)[i] += answer_of(w, i);
    for (int k = 0; k < ITERATIONS && iterate(w) > APPROACHED * unit; k++) continue;
    change_equations(w);
}

static int solve(path *w, double unit, double tolerance)
{
    find_speeds(w);
    if (residual(w) > WARM * unit) approach(w, unit);
    project_all(w);
    find_speeds(w);
    if (residual(w) > PEG_ROUNDED_RESIDUAL * tolerance) share_loads(w, NEAR * tolerance);
    if (follow_paths(w, tolerance)) return 1;
    /* from no impulses, with each change factorised: dependent rows may have left rounding */
    w->basis.most_changes = 0;
    memset(w->u, 0, (size_t)w->m * sizeof *w->u);
    memset(w->q, 0, (size_t)w->D.equations * sizeof *w->q);
    w->is_current = 0;
    find_speeds(w);
    return follow_paths(w, tolerance);
}

/* --- the problem --- */

static double load(const peg_scaled_row *row, const double *lambda)
{
    double warm = lambda[row->index] * row->root_scale;
    return isfinite(warm) ? warm : 0;
}

static peg_outcome solve_scaled(peg_arena *arena, const peg_problem *problem,
                                const peg_solve_options *options, peg_solution *solution)
{
    peg_scaled scaled;
    path w;
    peg_outcome outcome = peg_scale(arena, problem, &scaled);
    if (outcome != PEG_SOLVED) return outcome;
    double *u = PEG_NEW(arena, double, scaled.m);
    if (!u) return PEG_OUT_OF_MEMORY;
    outcome = create(arena, &scaled, &w);
    if (outcome != PEG_SOLVED) return outcome;
    for (int i = 0; i < w.m; i++) w.u[i] = load(&w.row[i], solution->lambda);
    for (int j = 0; j < w.D.equations; j++) w.q[j] = load(equation(&w, j), solution->lambda);
    int found = solve(&w, scaled.unit, options->tolerance * scaled.unit);
    solution->work += (w.products + w.basis.products) / PEG_PRODUCTS_OF_WORK;
    if (!found) return PEG_ITERATION_LIMIT;
    find_response(&w);
    for (int i = 0; i < w.m; i++) u[w.D.index[i]] = w.u[i];
    for (int j = 0; j < w.D.equations; j++) u[w.D.equation[j]] = w.q[j];
    peg_unscale(problem, &scaled, w.y, u, solution);
    return PEG_SOLVED;
}

peg_outcome peg_solve_delassus(peg_arena *arena, const peg_problem *problem,
                               const peg_solve_options *options, peg_solution *solution)
{
    int bounded, equations;
    peg_delassus_count(problem, &bounded, &equations);
    if (bounded > PEG_DELASSUS_ROWS || equations > PEG_DELASSUS_EQUATIONS)
        return PEG_ITERATION_LIMIT;
    peg_arena_mark mark = peg_arena_here(arena);
    peg_outcome outcome = solve_scaled(arena, problem, options, solution);
    peg_arena_back(arena, mark);
    return outcome;
}
