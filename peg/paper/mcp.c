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
 * Joints: mcp_joints.h. M is block diagonal and positive definite: v is eliminated, and Lemke's
 * method solves the plain LCP w = A z + q that is left. Impulses are scaled by the largest diagonal
 * of G^T M^-1 G, so that every variable but sigma's row is a velocity, m/s. */
#include "peg/contact/row_set.h"
#include "peg/lcp/problem.h"
#include "peg/paper/mcp_joints.h"
#include "peg/paper/paper.h"

/* Largest |min(w, z)| of an answer that is taken, relative to the largest |q|. */
static const double ACCEPTED = 1e-8;

/* A contact, or a stop or motor of a joint: what its impulse acts on and what its row is of. */
typedef struct wrench {
    int body[2];
    const double *G[2];
    double bias; /* m/s */
} wrench;

/* Row and column of the LCP: w = G_plus v - G_minus v + .. ; z is an impulse along the wrench, or
 * none. */
typedef struct variable {
    int plus, minus, impulse; /* wrenches, or -1 */
    int directions;           /* of the friction, whose variables follow; 0: none */
    double limit;             /* N s: of a motor's slack, 2 x */
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
    wrench *wrench; /* contacts, then the stops and motors of joints */
    int wrenches;
    peg_vec6 *Ma, *Mb; /* M^-1 G per wrench */
    peg_mcp_joints joints;
    double unit; /* 1/kg, scale of the impulses */
} mlcp;

/* --- structure --- */

static int add_variable(mlcp *p, int plus, int minus, int impulse)
{
    p->var[p->n] = (variable){plus, minus, impulse, 0, 0};
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

/* Stops and motors. */
static void add_joints(mlcp *p)
{
    int first = p->c->contacts;
    for (int l = 0; l < p->joints.limited; l++) {
        int impulse = add_variable(p, first + l, -1, first + l);
        double limit = peg_mcp_joint_limit(&p->joints, l);
        if (!(limit > 0)) continue;
        int slack = add_variable(p, -1, -1, -1);
        p->var[slack].limit = 2 * limit;
        add_entry(p, impulse, slack, 1);
        add_entry(p, slack, impulse, -1);
    }
}

/* Upper bounds of the numbers of variables and entries. */
static int make_room(mlcp *p)
{
    const peg_constraints *c = p->c;
    size_t variables = 2 * (size_t)p->joints.limited, entries = variables;
    size_t nd = (size_t)peg_cone_directions(c->island), wrenches = (size_t)p->wrenches;
    for (int i = 0; i < c->count; i++) {
        size_t k = (size_t)c->list[i].count, m = (size_t)c->list[i].primaries;
        variables += k + m * (nd + 3);
        entries += k * k + (m + 1) * k + m * (2 * nd + 3);
    }
    peg_arena *arena = c->island->arena;
    p->var = PEG_NEW(arena, variable, variables);
    p->entry = PEG_NEW(arena, entry, entries);
    p->wrench = PEG_NEW(arena, wrench, wrenches);
    p->Ma = PEG_NEW(arena, peg_vec6, wrenches);
    p->Mb = PEG_NEW(arena, peg_vec6, wrenches);
    return p->var && p->entry && p->wrench && p->Ma && p->Mb;
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

static void set_wrenches(mlcp *p)
{
    const peg_island *I = p->c->island;
    for (int i = 0; i < p->wrenches; i++) {
        wrench *w = &p->wrench[i];
        if (i < p->c->contacts) {
            const peg_row *row = &p->c->contact[i].row;
            *w = (wrench){{body_of(I, row, 0), body_of(I, row, 1)}, {row->Ga, row->Gb}, row->bias};
        } else {
            int l = i - p->c->contacts;
            const peg_lcp_row *row = &p->joints.row[p->joints.held + l];
            *w = (wrench){{row->body_a, row->body_b},
                          {row->Ja, row->Jb},
                          row->b - row->c * peg_mcp_joint_limit(&p->joints, l)};
        }
        inverse_mass(I, w->body[0], w->G[0], p->Ma[i]);
        inverse_mass(I, w->body[1], w->G[1], p->Mb[i]);
        peg_mcp_joints_column(&p->joints, i, w->body[0], w->body[1], p->Ma[i], p->Mb[i]);
    }
    peg_mcp_joints_eliminate(&p->joints, p->wrenches);
}

/* u_i . u, u_i: of a wrench, what bilateral joints see of its impulse. */
static double held_part(const mlcp *p, int i, const double *u)
{
    double sum = 0;
    const double *ui = p->joints.U + (size_t)i * (size_t)p->joints.held;
    for (int k = 0; k < p->joints.held; k++) sum += ui[k] * u[k];
    return sum;
}

/* G_i^T M^-1 G_j, bilateral joints eliminated. */
static double coupling(const mlcp *p, int i, int j)
{
    const wrench *x = &p->wrench[i], *y = &p->wrench[j];
    double sum = 0;
    for (int s = 0; s < 2; s++)
        for (int t = 0; t < 2; t++) {
            if (x->body[s] < 0 || x->body[s] != y->body[t]) continue;
            sum += dot6(x->G[s], t ? p->Mb[j] : p->Ma[j]);
        }
    if (p->joints.held > 0)
        sum -= held_part(p, i, p->joints.U + (size_t)j * (size_t)p->joints.held);
    return sum;
}

/* psi/h + G^T v_f */
static double free_speed(const mlcp *p, int i)
{
    const wrench *w = &p->wrench[i];
    double sum = w->bias;
    for (int s = 0; s < 2; s++)
        if (w->body[s] >= 0) sum += dot6(w->G[s], p->joints.base[w->body[s]]);
    return p->joints.held > 0 ? sum - held_part(p, i, p->joints.y) : sum;
}

/* The compliance of stops and motors. */
static void add_compliance(const mlcp *p, double *A)
{
    for (int i = 0; i < p->n; i++) {
        int l = p->var[i].impulse - p->c->contacts;
        if (l < 0) continue;
        A[(size_t)i * (size_t)p->n + (size_t)i] += p->joints.row[p->joints.held + l].c / p->unit;
    }
}

static void fill(const mlcp *p, double *A, double *q)
{
    size_t n = (size_t)p->n;
    memset(A, 0, n * n * sizeof *A);
    for (int i = 0; i < p->n; i++) {
        const variable *v = &p->var[i];
        q[i] = (v->plus >= 0 ? free_speed(p, v->plus) : 0) -
               (v->minus >= 0 ? free_speed(p, v->minus) : 0) + v->limit * p->unit;
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
    add_compliance(p, A);
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

/* The joints' impulses, of which the bilateral ones move v, too; 0: no memory. */
static int take_joints(mlcp *p, const double *z)
{
    peg_island *I = p->c->island;
    const peg_mcp_joints *joints = &p->joints;
    if (I->joints.n == 0) return 1;
    double *t = PEG_NEW(I->arena, double, joints->held);
    double *limited = PEG_NEW(I->arena, double, joints->limited);
    if (!t || !limited) return 0;
    for (int k = 0; k < joints->held; k++) t[k] = joints->y[k];
    for (int j = 0; j < p->n; j++) {
        int f = p->var[j].impulse;
        if (f < 0) continue;
        if (f >= p->c->contacts) limited[f - p->c->contacts] = z[j] / p->unit;
        for (int k = 0; k < joints->held; k++)
            t[k] += joints->U[(size_t)f * (size_t)joints->held + (size_t)k] * z[j] / p->unit;
    }
    peg_mcp_joints_take(I, joints, t, limited);
    return 1;
}

static int take(mlcp *p, const double *z)
{
    peg_island *I = p->c->island;
    for (int i = 0; i < I->nd; i++) memcpy(I->v[i], p->joints.base[i], sizeof I->v[i]);
    I->impulse.m = 0;
    for (int j = 0; j < p->n; j++) {
        int f = p->var[j].impulse;
        if (f < 0 || z[j] == 0) continue;
        const wrench *w = &p->wrench[f];
        for (int s = 0; s < 2; s++)
            for (int k = 0; w->body[s] >= 0 && k < 6; k++)
                I->v[w->body[s]][k] += (s ? p->Mb[f][k] : p->Ma[f][k]) * z[j] / p->unit;
        if (f < p->c->contacts && !p->c->contact[f].row.friction) book(p, j, z);
    }
    return take_joints(p, z);
}

/* --- the solution --- */

static peg_outcome solve(mlcp *p)
{
    peg_constraints *c = p->c;
    peg_arena *arena = c->island->arena;
    pegStats *stats = c->island->stats;
    if (!peg_mcp_joints_begin(c->island, c->contacts, &p->joints))
        return arena->failed ? PEG_OUT_OF_MEMORY : PEG_SINGULAR;
    p->wrenches = c->contacts + p->joints.limited;
    if (!make_room(p)) return PEG_OUT_OF_MEMORY;
    for (int i = 0; i < c->count; i++) add_constraint(p, &c->list[i]);
    add_joints(p);
    if (p->n > PEG_LEMKE_ROWS) return PEG_ITERATION_LIMIT;
    stats->solves++;
    stats->rows += p->n;
    if (p->n > stats->rows_max) stats->rows_max = p->n;
    set_wrenches(p);
    for (int j = 0; j < p->n; j++)
        if (p->var[j].impulse >= 0)
            p->unit = fmax(p->unit, coupling(p, p->var[j].impulse, p->var[j].impulse));
    if (p->unit == 0) p->unit = 1;
    size_t n = (size_t)p->n;
    double *A = PEG_NEW(arena, double, n *n), *q = PEG_NEW(arena, double, n);
    double *z = PEG_NEW(arena, double, n);
    if (!A || !q || !z) return PEG_OUT_OF_MEMORY;
    fill(p, A, q);
    peg_pivoting pivoting = {.most_products = INFINITY};
    peg_outcome outcome = peg_lemke(arena, p->n, A, q, z, &pivoting);
    stats->lemke_solves++;
    if (outcome != PEG_SOLVED) return outcome;
    double worst = residual(p->n, A, q, z);
    if (!(worst <= ACCEPTED)) return PEG_NOT_CERTIFIED;
    stats->residual_max = fmax(stats->residual_max, worst);
    return take(p, z) ? PEG_SOLVED : PEG_OUT_OF_MEMORY;
}

peg_outcome peg_constraints_solve(peg_constraints *c)
{
    mlcp p = {.c = c};
    peg_outcome outcome = solve(&p);
    if (outcome == PEG_OUT_OF_MEMORY) c->island->failed = 1;
    return outcome;
}
