/* The mixed LCP of a step [W 48-49], with friction [F 5]:
 *
 *     M v - G_n p_n - G_nI p_nI - G_f p_f = M v_f
 *     0 <= rho_n  = G_n^T v + psi_n/h                _|_  p_n  >= 0      U [W 44]
 *     0 <= rho_nI = G_nI^T v + E_2 c + psi_I1/h      _|_  p_nI >= 0      I [W 24, 46]
 *     0 <= gamma  = G_I^T v + E_1 c + psi_I/h        _|_  c    >= 0      I, X [W 20, 45, 47]
 *     0 <= rho_nX = G_nX^T v + E_2 c + psi_X1/h      _|_  p_nX >= 0      X [W 21, 43]
 *
 * G_I: G of the first member minus that of another one [W 42]; E_1 lower triangular, E_2 rows of
 * ones. With several primaries [W 22-23] the row of p_i has d_i beside E_2 c, and
 *
 *     0 <= psi_i/h + G_i^T v + d_i                   _|_  d_i  >= 0      [W 22]
 *     0 <= E_2 c + psi_1/h + G_1^T v                 _|_  a    >= 0      [W 21]
 *
 * where the auxiliary variable a appears nowhere else: the inequality of [W 21] as a row of an LCP.
 *
 * X: without the row rho_nX, as in [W 47-49], the rows gamma only define the slacks c, and every v
 * satisfies them. The inequality [W 21] that is missing gets as its auxiliary variable the impulse
 * p_nX that [W 43] has and [W 48] has lost, along the contact of the X that the same heuristic
 * chooses. (With a variable like a, which moves nothing, Lemke's method ends on a ray in 44 % of
 * the steps of the box of polygons at h = .01; with p_nX in 0.4 %.)
 *
 * Friction of a contact of U and I with impulse p_n, directions D and coefficient mu:
 *
 *     0 <= G_f^T v + E sigma                         _|_  p_f   >= 0
 *     0 <= mu p_n - E^T p_f                          _|_  sigma >= 0
 *
 * M is block diagonal and positive definite: v is eliminated, and Lemke's method solves the plain
 * LCP w = A z + q that is left. Impulses are scaled by the largest diagonal of G^T M^-1 G, so that
 * every variable but sigma's row is a velocity, m/s. */
#include "peg/contact/row_set.h"
#include "peg/lcp/problem.h"
#include "peg/paper/paper.h"

/* Largest |min(w, z)| of an answer that is taken, relative to the largest |q|. */
static const double ACCEPTED = 1e-8;

/* Larger problems are not tried: the work grows with the third power, and the memory with the
 * second. */
enum { MOST_VARIABLES = 2000 };

/* Row and column of the LCP: w = G_plus v - G_minus v + .. ; z is an impulse along the contact, or
 * none. */
typedef struct variable {
    int plus, minus, impulse; /* contacts, or -1 */
    int directions;           /* of the friction, whose variables follow; 0: none */
} variable;

typedef struct entry {
    int i, j;
    double value;
} entry;

typedef struct mlcp {
    peg_constraints *c;
    variable *var;
    int n;
    entry *entry;
    int entries;
    peg_vec6 *Ma, *Mb; /* M^-1 G per contact */
    double unit;       /* 1/kg, scale of the impulses */
} mlcp;

/* --- structure --- */

static int add_variable(mlcp *p, int plus, int minus, int impulse)
{
    p->var[p->n] = (variable){plus, minus, impulse, 0};
    return p->n++;
}

static void add_entry(mlcp *p, int i, int j, double value)
{
    p->entry[p->entries++] = (entry){i, j, value};
}

/* p_f and sigma, right behind the impulse. */
static void add_friction(mlcp *p, int contact, int impulse)
{
    const peg_potential *of = &p->c->contact[contact];
    if (!(of->row.mu > 0)) return;
    int nd = peg_cone_directions(p->c->island), sigma = impulse + nd + 1;
    for (int k = 0; k < nd; k++) {
        int f = add_variable(p, of->cone + k, -1, of->cone + k);
        add_entry(p, f, sigma, 1);
        add_entry(p, sigma, f, -1);
    }
    add_variable(p, -1, -1, -1);
    add_entry(p, sigma, impulse, of->row.mu);
    p->var[impulse].directions = nd;
}

/* E_2 */
static void add_ones(mlcp *p, int row, int first, int k)
{
    for (int l = 0; l < k - 1; l++) add_entry(p, row, first + l, 1);
}

static void add_constraint(mlcp *p, const peg_constraint *constraint)
{
    const int *x = p->c->member + constraint->first;
    int k = constraint->count, m = constraint->primaries;
    int slack = p->n; /* c_2 .. c_k of [W 20]: E_1; none for U */
    for (int j = 1; j < k; j++) {
        int c = add_variable(p, x[0], x[j], -1);
        for (int l = slack; l <= c; l++) add_entry(p, c, l, 1);
    }
    if (m > 1) add_ones(p, add_variable(p, x[0], -1, -1), slack, k); /* a */
    for (int i = 0; i < m; i++) {
        int impulse = add_variable(p, x[0], -1, x[i]);
        add_ones(p, impulse, slack, k);
        if (constraint->kind != PEG_CROSS_CONTACT) add_friction(p, x[i], impulse);
        if (m == 1) continue;
        int d = add_variable(p, x[i], -1, -1);
        add_entry(p, d, d, 1);
        add_entry(p, impulse, d, 1);
    }
}

/* Upper bounds of the numbers of variables and entries. */
static int make_room(mlcp *p)
{
    const peg_constraints *c = p->c;
    size_t variables = 0, entries = 0, nd = (size_t)peg_cone_directions(c->island);
    for (int i = 0; i < c->count; i++) {
        size_t k = (size_t)c->list[i].count, m = (size_t)c->list[i].primaries;
        variables += k + m * (nd + 3);
        entries += k * k + (m + 1) * k + m * (2 * nd + 3);
    }
    peg_arena *arena = c->island->arena;
    p->var = PEG_NEW(arena, variable, variables);
    p->entry = PEG_NEW(arena, entry, entries);
    p->Ma = PEG_NEW(arena, peg_vec6, c->contacts);
    p->Mb = PEG_NEW(arena, peg_vec6, c->contacts);
    return p->var && p->entry && p->Ma && p->Mb;
}

/* --- numbers --- */

static int body_of(const peg_island *I, const peg_row *row, int side)
{
    const peg_pair *pair = &I->pair[row->pair];
    int rigid = I->piece[side ? pair->b : pair->a].rigid;
    return rigid < I->nd ? rigid : -1;
}

static void inverse_mass(const peg_island *I, int body, const double *G, double *out)
{
    memset(out, 0, 6 * sizeof *out);
    if (body < 0) return;
    peg_add_scaled(out, I->mass[body].inv_mass, G, out);
    peg_rotate(I->mass[body].inv_inertia, G + 3, out + 3);
}

static double dot6(const double *a, const double *b)
{
    return peg_dot(a, b) + peg_dot(a + 3, b + 3);
}

/* G_i^T M^-1 G_j. */
static double coupling(const mlcp *p, int i, int j)
{
    const peg_island *I = p->c->island;
    const peg_row *x = &p->c->contact[i].row, *y = &p->c->contact[j].row;
    double sum = 0;
    for (int s = 0; s < 2; s++)
        for (int t = 0; t < 2; t++) {
            int body = body_of(I, x, s);
            if (body < 0 || body != body_of(I, y, t)) continue;
            sum += dot6(s ? x->Gb : x->Ga, t ? p->Mb[j] : p->Ma[j]);
        }
    return sum;
}

/* psi/h + G^T v_f */
static double free_speed(const mlcp *p, int i)
{
    const peg_island *I = p->c->island;
    const peg_row *row = &p->c->contact[i].row;
    double sum = row->bias;
    for (int s = 0; s < 2; s++) {
        int body = body_of(I, row, s);
        if (body >= 0) sum += dot6(s ? row->Gb : row->Ga, I->rigid[body].state.v_free);
    }
    return sum;
}

static void fill(const mlcp *p, double *A, double *q)
{
    size_t n = (size_t)p->n;
    memset(A, 0, n * n * sizeof *A);
    for (int i = 0; i < p->n; i++) {
        const variable *v = &p->var[i];
        q[i] = (v->plus >= 0 ? free_speed(p, v->plus) : 0) -
               (v->minus >= 0 ? free_speed(p, v->minus) : 0);
        for (int j = 0; j < p->n; j++) {
            int f = p->var[j].impulse;
            if (f < 0) continue;
            double a = (v->plus >= 0 ? coupling(p, v->plus, f) : 0) -
                       (v->minus >= 0 ? coupling(p, v->minus, f) : 0);
            A[(size_t)i * n + (size_t)j] = a / p->unit;
        }
    }
    for (int e = 0; e < p->entries; e++)
        A[(size_t)p->entry[e].i * n + (size_t)p->entry[e].j] += p->entry[e].value;
}

/* Largest |min(w, z)|, relative to the largest |q|. */
static double residual(int n, const double *A, const double *q, const double *z)
{
    double worst = 0, unit = 0;
    for (int i = 0; i < n; i++) {
        double w = q[i];
        for (int j = 0; j < n; j++) w += A[(size_t)i * (size_t)n + (size_t)j] * z[j];
        double r = fabs(fmin(w, z[i]));
        if (!(r <= worst)) worst = r; /* NaN too */
        unit = fmax(unit, fabs(q[i]));
    }
    return worst == 0 ? 0 : worst / unit;
}

/* --- results --- */

/* The impulse j and its friction in the account; opposite directions make one row of it. */
static void book(mlcp *p, int j, const double *z)
{
    peg_island *I = p->c->island;
    const peg_potential *of = &p->c->contact[p->var[j].impulse];
    int half = p->var[j].directions / 2;
    for (int k = 0; k <= half; k++) {
        peg_row *row = peg_row_set_add(I, &I->impulse);
        if (!row) return;
        *row = k ? p->c->contact[of->cone + k - 1].row : of->row;
        row->lambda = (k ? z[j + k] - z[j + k + half] : z[j]) / p->unit;
    }
}

static void take(mlcp *p, const double *z)
{
    peg_island *I = p->c->island;
    for (int i = 0; i < I->nd; i++) memcpy(I->v[i], I->rigid[i].state.v_free, sizeof I->v[i]);
    I->impulse.m = 0;
    for (int j = 0; j < p->n; j++) {
        int f = p->var[j].impulse;
        if (f < 0 || z[j] == 0) continue;
        const peg_row *row = &p->c->contact[f].row;
        for (int s = 0; s < 2; s++) {
            int body = body_of(I, row, s);
            for (int k = 0; body >= 0 && k < 6; k++)
                I->v[body][k] += (s ? p->Mb[f][k] : p->Ma[f][k]) * z[j] / p->unit;
        }
        if (!row->friction) book(p, j, z);
    }
}

/* --- the solution --- */

static peg_outcome solve(mlcp *p)
{
    peg_constraints *c = p->c;
    peg_arena *arena = c->island->arena;
    pegStats *stats = c->island->stats;
    if (!make_room(p)) return PEG_OUT_OF_MEMORY;
    for (int i = 0; i < c->count; i++) add_constraint(p, &c->list[i]);
    if (p->n > MOST_VARIABLES) return PEG_ITERATION_LIMIT;
    stats->solves++;
    stats->rows += p->n;
    if (p->n > stats->rows_max) stats->rows_max = p->n;
    const peg_island *I = p->c->island;
    for (int i = 0; i < p->c->contacts; i++) {
        const peg_row *row = &p->c->contact[i].row;
        inverse_mass(I, body_of(I, row, 0), row->Ga, p->Ma[i]);
        inverse_mass(I, body_of(I, row, 1), row->Gb, p->Mb[i]);
    }
    for (int j = 0; j < p->n; j++)
        if (p->var[j].impulse >= 0)
            p->unit = fmax(p->unit, coupling(p, p->var[j].impulse, p->var[j].impulse));
    if (p->unit == 0) p->unit = 1;
    size_t n = (size_t)p->n;
    double *A = PEG_NEW(arena, double, n *n), *q = PEG_NEW(arena, double, n);
    double *z = PEG_NEW(arena, double, n);
    if (!A || !q || !z) return PEG_OUT_OF_MEMORY;
    fill(p, A, q);
    int pivots;
    peg_outcome outcome = peg_lemke(arena, p->n, A, q, z, &pivots);
    stats->lemke_solves++;
    if (outcome != PEG_SOLVED) return outcome;
    double worst = residual(p->n, A, q, z);
    if (!(worst <= ACCEPTED)) return PEG_NOT_CERTIFIED;
    stats->residual_max = fmax(stats->residual_max, worst);
    take(p, z);
    return PEG_SOLVED;
}

peg_outcome peg_constraints_solve(peg_constraints *c)
{
    mlcp p = {.c = c};
    peg_outcome outcome = solve(&p);
    if (outcome == PEG_OUT_OF_MEMORY) c->island->failed = 1;
    return outcome;
}
