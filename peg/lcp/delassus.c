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
 * the sum over sliding rows f, in the columns of their normal rows, until a held row meets a bound
 * or the s of another one vanishes. That row changes its state, and t goes on in the direction in
 * which the row leaves where it was: backwards, at times, where sliding friction makes the matrix
 * indefinite. Where the path leads nowhere, it is followed once more from u = 0.
 *
 * Rows of a face are dependent. The equations have SHIFT on their diagonal, which is a compliance
 * about the start of the path, and are solved again for what it leaves at its end: a proximal point
 * iteration, which leaves alone what the equations do not determine. */
#include "peg/lcp/delassus.h"

#include <math.h>
#include <string.h>

#include "peg/lcp/delassus_matrix.h"

/* Compliance of a held row, relative to its scale: small beside the eigenvalues of rows that are
 * independent, large beside rounding. With 1e-8 a chain of 10 links takes 3.6 times the
 * instructions, with 1e-10 1.2 times. */
static const double SHIFT = 1e-9;
/* Solutions of the equations at the end of a path, at most; each leaves SHIFT / (SHIFT +
 * eigenvalue) of s. What leaves more than this share of it leaves rounding. */
enum { SOLUTIONS = 4 };
static const double GETS_ON = 0.25;
/* Paths from one point to the next until the residual is within the tolerance: in piles 1 % of the
 * problems need a second one, for what the compliance has changed about the states. */
enum { PATHS = 4 };
/* One that leaves more than this share of the residual gets no further: without that, problems of
 * random worlds that have no answer take three times the work of all others. Tolerances up to which
 * what it leaves is an answer all the same. */
static const double HALVED = 0.5, NEAR = 100;
/* Changes of state on a path, per row. From u = 0 each row that acts takes one. */
enum { CHANGES = 2 };
/* Iterations of Gauss-Seidel before the first path: with 8 of them a pile of 10 boxes takes 1.03
 * times the instructions, with 16 1.08 times. They end where impulses change by less than
 * APPROACHED units. A warm start whose residual is below WARM units needs none. */
enum { ITERATIONS = 4 };
static const double APPROACHED = 1e-5, WARM = 1e-3;
typedef enum row_state { OPEN, HELD, UP, DOWN } row_state;

typedef struct path {
    peg_delassus D;
    int m, vectors;            /* of D */
    const peg_scaled_row *row; /* of D */
    double *u, *du, *e;        /* m: impulses, their rates along the path (in vectors, whose
                                  numbers beyond m are 0), what moves it */
    double *q, *e_q;           /* equations: impulses; what is wrong with their s, as in
                                  delassus_matrix.h */
    double off;                /* the largest of these */
    int is_current;            /* s and e_q are those of u and q */
    peg_doubles *answer;       /* vectors: change of s by what the equations answer */
    double *y;                 /* n: N u */
    double *before;            /* m: u before a change */
    peg_doubles *s, *ds;       /* vectors: s + (1 - t) e; its rate along the path */
    row_state *state;          /* m */
    /* the equations of the held rows */
    int held, symmetric, sliding;
    int *slider;         /* sliding: their rows */
    int *member, *place; /* held: their rows; m: the inverse */
    peg_doubles *K;      /* held x vectors; afterwards its factors */
    peg_term *term;      /* m: of a sum */
    int *pivot;          /* held: the row that was exchanged with this one */
    double *d;           /* held: right side, and solution */
    double products;     /* of numbers, so far */
} path;

static peg_outcome create(peg_arena *arena, const peg_scaled *scaled, path *w)
{
    *w = (path){.products = 0};
    peg_outcome outcome = peg_delassus_create(arena, scaled, &w->D);
    if (outcome != PEG_SOLVED) return outcome;
    int m = w->D.m, vectors = w->D.vectors;
    size_t size = (size_t)vectors * sizeof(peg_doubles);
    w->m = m, w->vectors = vectors, w->row = w->D.row;
    w->K = peg_arena_aligned(arena, (size_t)m * size);
    w->s = peg_arena_aligned(arena, size);
    w->ds = peg_arena_aligned(arena, size);
    w->u = PEG_NEW(arena, double, m);
    w->du = peg_arena_aligned(arena, size);
    w->e = PEG_NEW(arena, double, m);
    w->d = peg_arena_aligned(arena, size);
    w->before = PEG_NEW(arena, double, m);
    w->q = PEG_NEW(arena, double, w->D.equations);
    w->e_q = PEG_NEW(arena, double, w->D.equations);
    w->y = PEG_NEW(arena, double, scaled->n);
    w->answer = peg_arena_aligned(arena, size);
    w->state = PEG_NEW(arena, row_state, m);
    w->member = PEG_NEW(arena, int, m);
    w->slider = PEG_NEW(arena, int, m);
    w->place = PEG_NEW(arena, int, m);
    w->pivot = PEG_NEW(arena, int, m);
    w->term = PEG_NEW(arena, peg_term, m);
    int has_room = w->K && w->s && w->ds && w->u && w->du && w->e && w->d && w->before && w->q &&
                   w->e_q && w->y && w->answer && w->state && w->member && w->slider && w->place &&
                   w->pivot && w->term;
    if (!has_room) return PEG_OUT_OF_MEMORY;
    memset(w->du, 0, size);
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

/* to = W u */
PEG_WIDE static void multiply(path *w, const double *u, peg_doubles *to)
{
    int n = 0;
    for (int i = 0; i < w->m; i++) {
        if (u[i] == 0) continue;
        w->term[n++] = (peg_term){peg_delassus_row(&w->D, i), u[i]};
    }
    for (int j = 0; j < w->vectors; j++) to[j] = peg_doubles_of(0);
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
        multiply(w, w->u, w->s);
        for (int i = 0; i < w->m; i++) s[i] += w->row[i].beta;
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

static inline int is_limited(const peg_scaled_row *row)
{
    return row->bounded && row->limit < INFINITY;
}

/* u of row i between its bounds. */
static inline double project(const path *w, int i, double u)
{
    const peg_scaled_row *row = &w->row[i];
    if (!row->bounded) return u > 0 ? u : 0;
    if (!is_limited(row)) return u;
    double bound = peg_scaled_bound(row, w->u);
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
        double u = project(w, i, w->u[i] - s_of(w, i) / peg_max(own, SHIFT)), by = u - w->u[i];
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
static row_state opposed(double s)
{
    return s > 0 ? DOWN : UP;
}

/* How row i, whose normal row has its state, acts at the start of a path: as u - s tells, but what
 * is at a bound stays there. */
static row_state start_state(const path *w, int i)
{
    const peg_scaled_row *row = &w->row[i];
    double u = w->u[i], z = u - s_of(w, i);
    if (!row->bounded) return z > 0 && u > 0 ? HELD : OPEN;
    if (!is_limited(row)) return HELD;
    if (row->limit == 0 && (row->normal < 0 || w->state[row->normal] == OPEN)) return OPEN;
    double bound = peg_scaled_bound(row, w->u);
    if (bound == 0) return opposed(s_of(w, i));
    return z > bound || u >= bound ? UP : z < -bound || u <= -bound ? DOWN : HELD;
}

static inline void set_impulse(path *w, int i, double u)
{
    w->is_current &= w->u[i] == u;
    w->u[i] = u;
}

/* Rows that slide, to their bounds, after make_equations. */
static void keep_sliding(path *w)
{
    for (int k = 0; k < w->sliding; k++) {
        int i = w->slider[k];
        double bound = peg_scaled_bound(&w->row[i], w->u);
        set_impulse(w, i, w->state[i] == DOWN ? -bound : bound);
    }
}

/* Rows that are not held, to where they are kept. */
static void keep_bounds(path *w)
{
    for (int i = 0; i < w->m; i++) {
        if (w->state[i] == HELD) continue;
        double bound = w->state[i] == OPEN ? 0 : peg_scaled_bound(&w->row[i], w->u);
        set_impulse(w, i, w->state[i] == DOWN ? -bound : bound);
    }
}

/* --- the equations of the held rows --- */

PEG_WIDE static void make_equations(path *w)
{
    int stride = w->vectors * PEG_DOUBLE_LANES;
    double *K = (double *)w->K;
    w->held = w->sliding = 0;
    w->symmetric = 1;
    for (int i = 0; i < w->m; i++) {
        if (w->state[i] == OPEN) continue;
        if (w->state[i] == HELD)
            w->place[i] = w->held, w->member[w->held++] = i;
        else
            w->slider[w->sliding++] = i;
    }
    for (int r = 0; r < w->held; r++) {
        const double *W = (const double *)peg_delassus_row(&w->D, w->member[r]);
        double *row = K + r * stride;
        for (int c = 0; c < w->held; c++) row[c] = W[w->member[c]];
        row[r] += SHIFT;
    }
    for (int k = 0; k < w->sliding; k++) {
        int f = w->slider[k], normal = w->row[f].normal;
        if (normal < 0 || w->state[normal] != HELD) continue;
        const double *W = (const double *)peg_delassus_row(&w->D, f);
        w->symmetric = 0;
        double mu = w->state[f] == UP ? w->row[f].mu : -w->row[f].mu;
        double *column = K + w->place[normal];
        for (int r = 0; r < w->held; r++, column += stride) *column += mu * W[w->member[r]];
    }
}

/* Brings row `at` of K to row c. */
static void exchange(path *w, int c, int at)
{
    int n = w->vectors, last = (w->held + PEG_DOUBLE_LANES - 1) / PEG_DOUBLE_LANES;
    w->pivot[c] = at;
    for (int j = 0; at != c && j < last; j++) {
        peg_doubles x = w->K[c * n + j];
        w->K[c * n + j] = w->K[at * n + j];
        w->K[at * n + j] = x;
    }
}

/* The row from c on with the largest number in column c. A symmetric matrix, which is positive,
 * needs no exchange. */
static int find_pivot(const path *w, int c)
{
    int stride = w->vectors * PEG_DOUBLE_LANES, at = c;
    const double *K = (const double *)w->K;
    for (int r = c + 1; r < w->held && !w->symmetric; r++)
        if (fabs(K[r * stride + c]) > fabs(K[at * stride + c])) at = r;
    return at;
}

/* Eliminates column k of the vector of columns that begins with column `first`, in that vector
 * only; `at`: the row of its pivot, then that of the next column's. Returns 0 if K is singular. */
PEG_HOT int eliminate_column(path *w, int first, int k, int *at)
{
    int n = w->vectors, c = first + k;
    exchange(w, c, *at);
    peg_doubles *K = w->K + first / PEG_DOUBLE_LANES;
    peg_doubles head = K[c * n];
    double pivot = head[k], most = -1;
    if (!(fabs(pivot) > 0)) return 0;
    for (int j = 0; j <= k; j++) head[j] = 0;
    int best = c + 1, seeks = k + 1 < PEG_DOUBLE_LANES && !w->symmetric, held = w->held;
    peg_doubles *row = K + best * n;
    for (int r = best; r < held; r++, row += n) {
        double f = (*row)[k] / pivot;
        *row -= f * head;
        (*row)[k] = f;
        if (!seeks || !(fabs((*row)[k + 1]) > most)) continue;
        most = fabs((*row)[k + 1]);
        best = r;
    }
    *at = best;
    return 1;
}

/* The columns behind a vector of columns that is eliminated, from its first row on. */
PEG_HOT void eliminate_behind(path *w, int first)
{
    int n = w->vectors, at = first / PEG_DOUBLE_LANES;
    int last = (w->held + PEG_DOUBLE_LANES - 1) / PEG_DOUBLE_LANES;
    const peg_doubles *top = w->K + first * n;
    const peg_doubles *t0 = top, *t1 = top + n, *t2 = top + 2 * n, *t3 = top + 3 * n;
    for (int r = first + 1; r < w->held; r++) {
        peg_doubles *row = w->K + r * n, f = row[at];
        int terms = r - first < PEG_DOUBLE_LANES ? r - first : PEG_DOUBLE_LANES;
        if (terms < PEG_DOUBLE_LANES) {
            for (int k = 0; k < terms; k++)
                for (int j = at + 1; j < last; j++) row[j] -= f[k] * top[k * n + j];
            continue;
        }
        for (long j = at + 1; j < last; j++)
            row[j] = (((row[j] - f[0] * t0[j]) - f[1] * t1[j]) - f[2] * t2[j]) - f[3] * t3[j];
    }
}

/* K = L U in place, L with ones on its diagonal, by vectors of columns. Returns 0 if K is singular.
 */
PEG_WIDE static int factorise(path *w)
{
    int end = w->held;
    for (int c = 0; c < end; c += PEG_DOUBLE_LANES) {
        int at = find_pivot(w, c);
        if (!eliminate_column(w, c, 0, &at)) return 0;
        if (c + 1 < end && !eliminate_column(w, c, 1, &at)) return 0;
        if (c + 2 < end && !eliminate_column(w, c, 2, &at)) return 0;
        if (c + 3 < end && !eliminate_column(w, c, 3, &at)) return 0;
        if (c + PEG_DOUBLE_LANES < end) eliminate_behind(w, c);
    }
    w->products += (double)end * end * end / 3;
    return 1;
}

/* sum of a_k b_k, k from begin to end - 1: by vectors, of which a and b begin with one. */
PEG_HOT double dot(const double *a, const double *b, int begin, int end)
{
    double sum = 0;
    int k = begin;
    peg_doubles sums = peg_doubles_of(0);
    for (; k < end && k % PEG_DOUBLE_LANES; k++) sum += a[k] * b[k];
    for (; k + PEG_DOUBLE_LANES <= end; k += PEG_DOUBLE_LANES)
        sums += *(const peg_doubles *)(a + k) * *(const peg_doubles *)(b + k);
    for (; k < end; k++) sum += a[k] * b[k];
    return sum + ((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

/* d = K^-1 d */
PEG_WIDE static void solve_factors(path *w)
{
    int stride = w->vectors * PEG_DOUBLE_LANES;
    const double *K = (const double *)w->K;
    double *d = w->d;
    for (int r = 0; r < w->held; r++) {
        double x = d[w->pivot[r]];
        d[w->pivot[r]] = d[r];
        d[r] = x;
    }
    for (int r = 1; r < w->held; r++) d[r] -= dot(K + r * stride, d, 0, r);
    for (int r = w->held - 1; r >= 0; r--)
        d[r] = (d[r] - dot(K + r * stride, d, r + 1, w->held)) / K[r * stride + r];
}

/* --- the path --- */

/* du and ds for a change of t by 1. */
static void find_rates(path *w)
{
    for (int r = 0; r < w->held; r++) w->d[r] = w->e[w->member[r]];
    solve_factors(w);
    memset(w->du, 0, (size_t)w->m * sizeof *w->du);
    for (int r = 0; r < w->held; r++) w->du[w->member[r]] = w->d[r];
    for (int k = 0; k < w->sliding; k++) {
        int i = w->slider[k];
        const peg_scaled_row *row = &w->row[i];
        if (row->normal >= 0)
            w->du[i] = (w->state[i] == UP ? row->mu : -row->mu) * w->du[row->normal];
    }
    multiply(w, w->du, w->ds);
    for (int i = 0; i < w->m; i++) ((double *)w->ds)[i] += SHIFT * w->du[i] - w->e[i];
}

/* For a change of t by -1. */
static void turn_rates(path *w)
{
    for (int i = 0; i < w->m; i++) w->du[i] = -w->du[i];
    for (int j = 0; j < w->vectors; j++) w->ds[j] = -w->ds[j];
}

/* Growth of the bound of row i. */
static double growth(const path *w, int i)
{
    const peg_scaled_row *row = &w->row[i];
    return row->normal >= 0 ? row->mu * w->du[row->normal] : 0;
}

/* Change of t after which row i changes its state, and to which one. */
static double reach(const path *w, int i, row_state *next)
{
    const peg_scaled_row *row = &w->row[i];
    double u = w->u[i], du = w->du[i], s = s_of(w, i), ds = ((const double *)w->ds)[i];
    if (w->state[i] != HELD) {
        *next = HELD;
        if (row->bounded && w->state[i] == OPEN) return INFINITY;
        if (w->state[i] == UP) s = -s, ds = -ds;
        return ds < 0 ? fmax(0, s / -ds) : INFINITY;
    }
    if (!row->bounded) {
        *next = OPEN;
        return du < 0 ? fmax(0, u / -du) : INFINITY;
    }
    if (!is_limited(row)) return INFINITY;
    double bound = peg_scaled_bound(row, w->u), grows = growth(w, i);
    double up = du > grows ? fmax(0, (bound - u) / (du - grows)) : INFINITY;
    double down = -du > grows ? fmax(0, (bound + u) / (-du - grows)) : INFINITY;
    *next = up <= down ? UP : DOWN;
    return fmin(up, down);
}

/* How fast row i leaves the state `before`. */
static double leaves(const path *w, int i, row_state before)
{
    double ds = ((const double *)w->ds)[i];
    if (w->state[i] != HELD) return w->state[i] == UP ? -ds : ds;
    if (!w->row[i].bounded) return w->du[i];
    return growth(w, i) + (before == UP ? -w->du[i] : w->du[i]);
}

/* A contact that opens has no friction. */
static void change_state(path *w, int i, row_state next)
{
    w->state[i] = next;
    if (next == OPEN) w->u[i] = 0;
    if (next == HELD) ((double *)w->s)[i] = 0;
    if (w->row[i].bounded) return;
    for (int f = i + 1; f < w->m && w->row[f].bounded; f++)
        if (w->row[f].normal == i && w->row[f].limit == 0)
            w->state[f] = next == OPEN ? OPEN : opposed(s_of(w, f));
}

/* u and s after `step`. */
PEG_WIDE static void advance(path *w, double step)
{
    w->is_current = 0;
    for (int i = 0; i < w->m; i++) w->u[i] += step * w->du[i];
    for (int j = 0; j < w->vectors; j++) w->s[j] += step * w->ds[j];
}

/* Follows the path from t = 0. Returns whether it ends at t = 1. */
static int follow(path *w)
{
    double t = 0, way = 1;
    row_state before = OPEN;
    for (int k = 0, at = -1; k <= CHANGES * w->m; k++) {
        make_equations(w);
        if (!factorise(w)) return 0;
        find_rates(w);
        way = at < 0 || leaves(w, at, before) > 0 ? 1 : -1;
        if (way < 0) turn_rates(w);
        double step = way > 0 ? 1 - t : INFINITY;
        row_state next = HELD;
        at = -1;
        for (int i = 0; i < w->m; i++) {
            row_state to = HELD;
            double most = reach(w, i, &to);
            if (most < step) step = most, at = i, next = to;
        }
        if (!(step < INFINITY)) return 0;
        advance(w, step);
        t += way * step;
        if (at < 0) return 1;
        before = w->state[at];
        change_state(w, at, next);
        keep_bounds(w);
    }
    return 0;
}

/* Solves the equations of the last states for what their shift has left. */
static void refine(path *w)
{
    double last = INFINITY;
    for (int k = 0; k < SOLUTIONS; k++) {
        keep_sliding(w);
        find_speeds(w);
        double most = w->off;
        for (int r = 0; r < w->held; r++) most = peg_max(most, fabs(s_of(w, w->member[r])));
        if (!(most < GETS_ON * last)) return;
        last = most;
        for (int r = 0; r < w->held; r++)
            w->d[r] = -s_of(w, w->member[r]) - answer_of(w, w->member[r]);
        solve_factors(w);
        memcpy(w->before, w->u, (size_t)w->m * sizeof *w->u);
        for (int r = 0; r < w->held; r++) w->u[w->member[r]] += w->d[r];
        keep_sliding(w);
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
        int opens = w->state[i] == OPEN && w->row[i].bounded;
        int is_wrong = w->state[i] == UP ? s[i] > 0 : s[i] < 0;
        double e = w->state[i] == HELD ? -s[i] : is_wrong && !opens ? -share * s[i] : 0;
        s[i] += e;
        w->e[i] = e - answer_of(w, i);
    }
    w->is_current = 0;
}

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
    for (int k = 0; k < PATHS; k++) {
        begin_path(w);
        if (!follow(w)) return 0;
        keep_sliding(w);
        change_equations(w);
        refine(w);
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
    if (follow_paths(w, tolerance)) return 1;
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
    solution->work += w.products / PEG_PRODUCTS_OF_WORK;
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
