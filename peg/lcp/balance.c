/* A body stands on the contacts whose normals point up, against the momentum that applied forces
 * give to all bodies. Once everything above it has passed its load on, its own contacts below it
 * have to take what it bears: the shortest impulses of the normal rows that do or, where some of
 * these pull, the least squares over the friction cones (Lawson and Hanson's method). Flush walls
 * and grids have so many dependent rows that Newton's method takes a hundred times as long. Rows of
 * joints bear nothing: those that v = 0 satisfies need not. */
#include "peg/lcp/balance.h"

#include "peg/base/arena.h"
#include "peg/lcp/scaled.h"
#include "peg/lcp/small_system.h"

/* Cosine of the angle to the vertical up to which a contact carries. */
static const double STEEP = 0.1;
/* Speed that a row may ask for and carry all the same, and load that may be left, relative to what
 * the forces make. */
static const double ROUNDED = 1e-12;
/* Of the shortest impulses: added to the diagonal, relative to it, and corrections of that. */
static const double DIAGONAL = 1e-9;
enum { CORRECTIONS = 4 };

typedef struct support {
    int row;   /* normal row */
    int lower; /* body below, -1: immovable */
    int sides; /* 1: the upper body is body_a, else -1 */
    int next;  /* of the same upper body; -1: none */
} support;

/* A direction in the cone of a contact: its normal row and a share of one of its friction rows. */
typedef struct column {
    int normal, friction; /* rows; friction -1: none */
    double share;
    double g[6]; /* of the upper body, in the coordinates of scaled.h */
    double x;    /* impulse */
} column;

typedef struct balance {
    const peg_problem *problem;
    double *lambda;
    peg_mass_root *root;
    peg_vec6 *load;      /* nb: sqrt(J) */
    double up[3], speed; /* mean speed of v_f, m/s */
    support *support;
    int supports;
    int *first; /* nb: of the supports below */
    int *above; /* nb: contacts with bodies that have not passed their loads on */
    int *ready; /* nb: bodies without such contacts, in the order of their turns */
    int readies;
    column *column; /* of one body */
    int columns;
} balance;

static double dot6(const double *a, const double *b)
{
    double sum = 0;
    for (int k = 0; k < 6; k++) sum += a[k] * b[k];
    return sum;
}

static void add6(double t, const double *a, double *out)
{
    for (int k = 0; k < 6; k++) out[k] += t * a[k];
}

/* --- who stands on whom --- */

static int allocate(peg_arena *arena, balance *s)
{
    int nb = s->problem->nb, m = s->problem->m;
    s->lambda = PEG_NEW(arena, double, m);
    s->root = PEG_NEW(arena, peg_mass_root, nb);
    s->load = PEG_NEW(arena, peg_vec6, nb);
    s->support = PEG_NEW(arena, support, m);
    s->first = PEG_NEW(arena, int, nb);
    s->above = PEG_NEW(arena, int, nb);
    s->ready = PEG_NEW(arena, int, nb);
    return s->lambda && s->root && s->load && s->support && s->first && s->above && s->ready;
}

/* Loads, and the direction against them; 0 if nothing moves the bodies. */
static int find_loads(balance *s)
{
    const peg_problem *p = s->problem;
    double sum[3] = {0}, mass = 0;
    for (int i = 0; i < p->nb; i++) {
        if (!peg_mass_root_of(&p->mass[i], &s->root[i])) return 0;
        peg_mass_root_solve(&s->root[i], p->target[i], s->load[i]);
        peg_add_scaled(sum, -1 / p->mass[i].inv_mass, p->target[i], sum);
        mass += 1 / p->mass[i].inv_mass;
        s->first[i] = -1;
        s->above[i] = 0;
    }
    double length = peg_norm(sum);
    s->speed = length / mass;
    for (int k = 0; k < 3; k++) s->up[k] = sum[k] / length;
    return length > 0 && isfinite(length);
}

/* Whether v = 0 satisfies a row; of joints the certificate tells. */
static int is_kept(const peg_lcp_row *row, double rounded)
{
    return row->bounded ? row->b == 0 || row->normal < 0 : row->b >= -rounded;
}

/* Whether row f is one of friction of a normal row. */
static int is_friction_of(const peg_problem *p, int f, int normal)
{
    return f < p->m && p->row[f].bounded && p->row[f].normal == normal;
}

/* 0 if v = 0 does not satisfy the rows. */
static int find_supports(balance *s)
{
    double rounded = ROUNDED * s->speed;
    const peg_problem *p = s->problem;
    for (int i = 0; i < p->m; i++) {
        const peg_lcp_row *row = &p->row[i];
        s->lambda[i] = 0;
        if (!is_kept(row, rounded)) return 0;
        if (row->bounded || row->b > rounded || row->c > 0) continue;
        const double *n = row->body_a >= 0 ? row->Ja : row->Jb;
        double cosine = peg_dot(n, s->up) * (row->body_a >= 0 ? 1 : -1);
        if (fabs(cosine) < STEEP) continue;
        int upper = cosine > 0 ? row->body_a : row->body_b;
        int lower = cosine > 0 ? row->body_b : row->body_a;
        if (upper < 0) continue;
        s->support[s->supports] = (support){i, lower, cosine > 0 ? 1 : -1, s->first[upper]};
        s->first[upper] = s->supports++;
        if (lower >= 0) s->above[lower]++;
    }
    return 1;
}

/* --- the load of a body --- */

static void add_column(balance *s, const support *from, int friction, double share)
{
    const peg_lcp_row *row = s->problem->row;
    const double *n = from->sides > 0 ? row[from->row].Ja : row[from->row].Jb;
    int upper = from->sides > 0 ? row[from->row].body_a : row[from->row].body_b;
    double J[6];
    memcpy(J, n, sizeof J);
    if (friction >= 0) add6(share, from->sides > 0 ? row[friction].Ja : row[friction].Jb, J);
    column *c = &s->column[s->columns++];
    *c = (column){.normal = from->row, .friction = friction, .share = share};
    peg_mass_root_row(&s->root[upper], J, c->g);
}

/* Contacts of a body as columns; with friction twice as many for each friction row. Returns 0
 * without memory. */
static int make_columns(peg_arena *arena, balance *s, int body, int frictional)
{
    const peg_problem *p = s->problem;
    int most = 0;
    for (int pass = 0; pass < 2; pass++) {
        s->columns = 0;
        for (int k = s->first[body]; k >= 0; k = s->support[k].next) {
            const support *at = &s->support[k];
            most++;
            if (pass) add_column(s, at, -1, 0);
            for (int f = at->row + 1; frictional && is_friction_of(p, f, at->row); f++) {
                most += 2;
                if (!pass) continue;
                add_column(s, at, f, p->row[f].mu);
                add_column(s, at, f, -p->row[f].mu);
            }
        }
        if (pass == 0) s->column = PEG_NEW(arena, column, most);
        if (!s->column) return 0;
    }
    return 1;
}

/* Sum of the columns' impulses and the load. */
static void left_of(const balance *s, const double *load, double *left)
{
    memcpy(left, load, 6 * sizeof *left);
    for (int k = 0; k < s->columns; k++)
        if (s->column[k].x != 0) add6(s->column[k].x, s->column[k].g, left);
}

/* The shortest impulses; 0 if one of them pulls. */
static int take_shortest(balance *s, const double *load)
{
    double A[6][6] = {{0}}, trace = 0;
    for (int k = 0; k < s->columns; k++)
        for (int r = 0; r < 6; r++)
            for (int c = 0; c < 6; c++) A[r][c] += s->column[k].g[r] * s->column[k].g[c];
    for (int r = 0; r < 6; r++) trace += A[r][r];
    for (int r = 0; r < 6; r++) A[r][r] += DIAGONAL * trace;
    for (int n = 0; n < CORRECTIONS; n++) {
        double B[6][6], left[6];
        memcpy(B, A, sizeof B);
        left_of(s, load, left);
        if (!peg_solve_small(6, B, left)) return 0;
        for (int k = 0; k < s->columns; k++) s->column[k].x -= dot6(s->column[k].g, left);
    }
    for (int k = 0; k < s->columns; k++)
        if (s->column[k].x < 0) return 0;
    return 1;
}

/* Least squares of some columns, at[0 .. n - 1], to x. */
static int solve_columns(const balance *s, const int *at, int n, const double *load, double *x)
{
    double A[6][6];
    for (int r = 0; r < n; r++) {
        for (int c = 0; c < n; c++) A[r][c] = dot6(s->column[at[r]].g, s->column[at[c]].g);
        x[r] = -dot6(s->column[at[r]].g, load);
    }
    return peg_solve_small(n, A, x);
}

/* Lawson and Hanson's method: impulses that do not pull and leave the least load. */
static void take_least_squares(balance *s, const double *load, double enough)
{
    int at[6], n = 0;
    double left[6], x[6];
    for (int k = 0; k < s->columns; k++) s->column[k].x = 0;
    for (int turn = 0; turn < 6 * s->columns && n < 6; turn++) {
        int best = -1;
        double steepest = 0;
        left_of(s, load, left);
        if (dot6(left, left) <= enough * enough) return;
        for (int k = 0; k < s->columns; k++) {
            double gain = -dot6(s->column[k].g, left) / sqrt(dot6(s->column[k].g, s->column[k].g));
            if (s->column[k].x == 0 && gain > steepest) steepest = gain, best = k;
        }
        if (best < 0) return;
        at[n++] = best;
        while (n > 0) {
            double t = 1;
            if (!solve_columns(s, at, n, load, x)) {
                n--;
                s->column[at[n]].x = 0;
                return;
            }
            for (int k = 0; k < n; k++)
                if (x[k] <= 0) t = fmin(t, s->column[at[k]].x / (s->column[at[k]].x - x[k]));
            int kept = 0;
            for (int k = 0; k < n; k++) {
                column *c = &s->column[at[k]];
                c->x = t == 1 ? x[k] : c->x + t * (x[k] - c->x);
                if (x[k] <= 0 && c->x <= ROUNDED * fabs(x[k])) c->x = 0;
                if (c->x > 0) at[kept++] = at[k];
            }
            if (kept == n) break;
            n = kept;
        }
    }
}

static double length_of_left(const balance *s, const double *load)
{
    double left[6];
    left_of(s, load, left);
    return sqrt(dot6(left, left));
}

/* Loads the contacts below a body; 0 if these do not hold it. */
static int hold(peg_arena *arena, balance *s, int body, double unit)
{
    const double *load = s->load[body];
    double enough = ROUNDED * fmax(unit, sqrt(dot6(load, load)));
    for (int frictional = 0; frictional < 2; frictional++) {
        if (!make_columns(arena, s, body, frictional)) return 0;
        if (!frictional && take_shortest(s, load) && length_of_left(s, load) <= enough) return 1;
        take_least_squares(s, load, 0.01 * enough);
        if (length_of_left(s, load) <= enough) return 1;
    }
    return 0;
}

/* The impulses of the body's columns, and their loads on the bodies below. */
static void pass_on(balance *s, int body)
{
    const peg_problem *p = s->problem;
    for (int k = 0; k < s->columns; k++) {
        const column *c = &s->column[k];
        s->lambda[c->normal] += c->x;
        if (c->friction >= 0) s->lambda[c->friction] += c->share * c->x;
    }
    for (int k = s->first[body]; k >= 0; k = s->support[k].next) {
        const support *at = &s->support[k];
        if (at->lower < 0) continue;
        if (--s->above[at->lower] == 0) s->ready[s->readies++] = at->lower;
        for (int f = at->row; f == at->row || is_friction_of(p, f, at->row); f++) {
            double g[6];
            if (s->lambda[f] == 0) continue;
            peg_mass_root_row(&s->root[at->lower], at->sides > 0 ? p->row[f].Jb : p->row[f].Ja, g);
            add6(s->lambda[f], g, s->load[at->lower]);
        }
    }
}

static int pass_all(peg_arena *arena, balance *s, double unit)
{
    for (int i = 0; i < s->problem->nb; i++)
        if (s->above[i] == 0) s->ready[s->readies++] = i;
    for (int k = 0; k < s->readies; k++) {
        peg_arena_mark mark = peg_arena_here(arena);
        int held = hold(arena, s, s->ready[k], unit);
        if (held) pass_on(s, s->ready[k]);
        peg_arena_back(arena, mark);
        if (!held) return 0;
    }
    return s->readies == s->problem->nb;
}

int peg_balance(peg_arena *arena, const peg_problem *problem, double *lambda)
{
    peg_arena_mark mark = peg_arena_here(arena);
    balance s = {.problem = problem};
    double unit = peg_residual_unit(problem);
    int held =
        allocate(arena, &s) && find_loads(&s) && find_supports(&s) && pass_all(arena, &s, unit);
    for (int i = 0; i < problem->m && held; i++) lambda[i] = s.lambda[i];
    peg_arena_back(arena, mark);
    return held;
}
