/* Rows of bodies that joints hold together. Projected Gauss-Seidel takes many iterations to pass a
 * push on along a chain of joints. Here an impulse moves all bodies of a group at once, as the
 * equations of its joints ask, which hold in every iterate:
 *
 *     dy = (1 - N S^-1 N^T) n du,   S = N^T N + C        symbols as in equations.h
 *
 * for a row n of a contact, a motor or a stop. The response dy / du of each row is found before the
 * iterations by factors of S. Iterates start from the motion that the equations alone lead to; in
 * the end the equations are solved once more, in double precision, under the impulses of all other
 * rows. */
#include "peg/lcp/wide_joined.h"

#include <math.h>
#include <string.h>

#include "peg/base/lanes.h"
#include "peg/base/tolerance.h"
#include "peg/base/union_find.h"
#include "peg/lcp/equations.h"
#include "peg/lcp/wide_groups.h"

/* Rows of a contact, along n, t, n x t; bodies of a row. */
enum { ROWS = 3, SIDES = 2 };

/* Bodies that equations connect, as a problem of their own. */
typedef struct group {
    int n, m;
    int *body, *equation; /* n, m: in the wide problem */
    peg_vec6 *target, *v; /* n */
    double *lambda;       /* m */
    peg_equations equations;
} group;

/* The rows of a contact, or one of a joint. An impulse moves the group of A and that of B, or a
 * single body; what does not move counts in no speed. */
typedef struct joined_rows {
    int contact, joint; /* of the problem; -1: none */
    int count;
    size_t at[SIDES];             /* y of A and B */
    peg_floats n[ROWS][SIDES];    /* how that counts in a row's speed */
    int moved;                    /* bodies that an impulse moves */
    int *body;                    /* moved */
    peg_floats (*response)[ROWS]; /* moved: y by 1 N s of each row */
    float beta[ROWS], gain[ROWS], scale[ROWS], lambda[ROWS], way[ROWS];
    float compliance[ROWS];
    float least, most;                 /* bounds of the first row's impulse, N s */
    float mu[2], limit[2];             /* of the others */
    float one_zero, two_zero, two_one; /* speed of a row by 1 N s in another one */
} joined_rows;

struct peg_joined {
    const peg_wide_problem *problem;
    int *group_of, *place; /* nb: -1: of none; in its group */
    peg_vec6 *base;        /* nb */
    group *group;
    int groups;
    joined_rows *rows;
    int count;
    peg_doubles *x;      /* room for a solution of a group, .. */
    peg_doubles (*y)[6]; /* .. and for a response */
};

static int a_body_of(const peg_lcp_row *row)
{
    return row->body_a >= 0 ? row->body_a : row->body_b;
}

/* --- groups --- */

static int number_groups(peg_arena *arena, peg_joined *s)
{
    const peg_wide_problem *p = s->problem;
    int *root = PEG_NEW(arena, int, p->nb);
    if (!root) return 0;
    for (int i = 0; i < p->nb; i++) root[i] = i, s->group_of[i] = -1;
    for (int k = 0; k < p->joints; k++) {
        const peg_lcp_row *row = &p->joint[k];
        if (peg_is_equation(row) && row->body_a >= 0 && row->body_b >= 0)
            peg_unite(root, row->body_a, row->body_b);
    }
    for (int k = 0; k < p->joints; k++) {
        if (!peg_is_equation(&p->joint[k])) continue;
        int *number = &s->group_of[peg_root(root, a_body_of(&p->joint[k]))];
        if (*number < 0) *number = s->groups++;
    }
    for (int i = 0; i < p->nb; i++) s->group_of[i] = s->group_of[peg_root(root, i)];
    return 1;
}

/* The bodies and equations of each group, in the order of the problem. */
static int list_groups(peg_arena *arena, peg_joined *s)
{
    const peg_wide_problem *p = s->problem;
    s->group = PEG_NEW(arena, group, s->groups);
    if (!s->group) return 0;
    memset(s->group, 0, (size_t)s->groups * sizeof *s->group);
    for (int i = 0; i < p->nb; i++)
        if (s->group_of[i] >= 0) s->place[i] = s->group[s->group_of[i]].n++;
    for (int k = 0; k < p->joints; k++)
        if (peg_is_equation(&p->joint[k])) s->group[s->group_of[a_body_of(&p->joint[k])]].m++;
    for (int i = 0; i < s->groups; i++) {
        group *g = &s->group[i];
        g->body = PEG_NEW(arena, int, g->n);
        g->equation = PEG_NEW(arena, int, g->m);
        g->target = PEG_NEW(arena, peg_vec6, g->n);
        g->v = PEG_NEW(arena, peg_vec6, g->n);
        g->lambda = PEG_NEW(arena, double, g->m);
        if (!g->body || !g->equation || !g->target || !g->v || !g->lambda) return 0;
        g->m = 0;
    }
    for (int i = 0; i < p->nb; i++)
        if (s->group_of[i] >= 0) s->group[s->group_of[i]].body[s->place[i]] = i;
    for (int k = 0; k < p->joints; k++) {
        if (!peg_is_equation(&p->joint[k])) continue;
        group *g = &s->group[s->group_of[a_body_of(&p->joint[k])]];
        g->lambda[g->m] = p->joint_lambda[k];
        g->equation[g->m++] = k;
    }
    return 1;
}

static int factorise(peg_arena *arena, const peg_joined *s, group *g)
{
    const peg_wide_problem *p = s->problem;
    peg_mass_root *root = PEG_NEW(arena, peg_mass_root, g->n);
    peg_lcp_row *row = PEG_NEW(arena, peg_lcp_row, g->m);
    if (!root || !row) return 0;
    for (int i = 0; i < g->n; i++) root[i] = p->root[g->body[i]];
    for (int k = 0; k < g->m; k++) {
        row[k] = p->joint[g->equation[k]];
        if (row[k].body_a >= 0) row[k].body_a = s->place[row[k].body_a];
        if (row[k].body_b >= 0) row[k].body_b = s->place[row[k].body_b];
    }
    const peg_problem problem = {
        .nb = g->n, .m = g->m, .target = (const peg_vec6 *)g->target, .row = row};
    return peg_equations_create(arena, &problem, root, &g->equations) == PEG_SOLVED;
}

/* g->v from g->target. Returns whether the equations hold, but for what joints may be off by. */
static int solve_group(group *g)
{
    double unit = peg_equations_set_target(&g->equations, (const peg_vec6 *)g->target);
    double left = peg_equations_solve(&g->equations, g->lambda, PEG_RESIDUAL_TOLERANCE * unit);
    peg_equations_take(&g->equations, g->v, g->lambda);
    return left <= PEG_NEAR_EXACT * unit;
}

static int start_group(peg_arena *arena, peg_joined *s, group *g)
{
    for (int i = 0; i < g->n; i++)
        memcpy(g->target[i], s->problem->target[g->body[i]], sizeof *g->target);
    if (!factorise(arena, s, g) || !solve_group(g)) return 0;
    for (int i = 0; i < g->n; i++) memcpy(s->base[g->body[i]], g->v[i], sizeof *s->base);
    return 1;
}

/* --- rows --- */

/* Impulses of rows side by side, by 1 N s each, on the bodies A and B (-1: none). */
typedef struct impulses {
    int body[SIDES];
    peg_doubles n[SIDES][6];
    double beta[ROWS]; /* of the rows, m/s */
} impulses;

static void add_row(const peg_joined *s, int row, int side, const double J[6], impulses *of)
{
    double n[6];
    int body = of->body[side];
    if (body < 0) return;
    peg_mass_root_row(&s->problem->root[body], J, n);
    for (int k = 0; k < 6; k++) {
        of->n[side][k][row] = n[k];
        of->beta[row] += J[k] * s->base[body][k];
    }
}

/* How many bodies an impulse on a body moves. */
static int moved_with(const peg_joined *s, int body)
{
    if (body < 0) return 0;
    return s->group_of[body] >= 0 ? s->group[s->group_of[body]].n : 1;
}

static int are_of_one_group(const peg_joined *s, const int body[SIDES])
{
    return body[0] >= 0 && body[1] >= 0 && s->group_of[body[0]] >= 0 &&
           s->group_of[body[0]] == s->group_of[body[1]];
}

/* What the impulses on bodies of one group, or on a single one, do: bodies and their y from `at`
 * on.
 */
static void respond(const peg_joined *s, const int body[SIDES], const impulses *of, int at,
                    joined_rows *r)
{
    int any = body[0] >= 0 ? body[0] : body[1], n = moved_with(s, any);
    const group *g = s->group_of[any] >= 0 ? &s->group[s->group_of[any]] : NULL;
    peg_impulse impulse = {.body = {-1, -1}};
    for (int side = 0; side < SIDES; side++) {
        if (body[side] < 0) continue;
        impulse.body[side] = g ? s->place[body[side]] : 0;
        memcpy(impulse.n[side], of->n[side], sizeof impulse.n[side]);
    }
    if (g)
        peg_equations_respond(&g->equations, &impulse, s->x, s->y);
    else
        memcpy(s->y[0], impulse.n[body[0] >= 0 ? 0 : 1], sizeof s->y[0]);
    for (int i = 0; i < n; i++) {
        int moved = r->body[at + i] = g ? g->body[i] : any;
        double linear = s->problem->root[moved].linear;
        for (int j = 0; j < ROWS; j++) {
            peg_floats y = peg_floats_of(0);
            for (int k = 0; k < 6; k++)
                y[k] = (float)(k < 3 ? linear * s->y[i][k][j] : s->y[i][k][j]);
            r->response[at + i][j] = y;
        }
    }
}

/* Sum of the numbers of a body. */
PEG_HOT float sum_of(peg_floats a)
{
    return ((a[0] + a[1]) + (a[2] + a[3])) + (a[4] + a[5]);
}

/* Speed of row i by 1 N s in row j. */
static float product(const joined_rows *r, int i, int j)
{
    float sum = 0;
    for (int side = 0; side < SIDES; side++)
        for (int k = 0; k < r->moved; k++)
            if (PEG_WIDE_STRIDE * (size_t)r->body[k] == r->at[side])
                sum += sum_of(r->n[i][side] * r->response[k][j]);
    return sum;
}

/* The responses and what follows from them. Returns 0 without memory. */
static int finish_rows(peg_arena *arena, const peg_joined *s, const impulses *of, joined_rows *r)
{
    const peg_wide_problem *p = s->problem;
    int is_one = are_of_one_group(s, of->body), of_a = moved_with(s, of->body[0]);
    r->moved = is_one ? of_a : of_a + moved_with(s, of->body[1]);
    r->body = PEG_NEW(arena, int, r->moved);
    r->response = peg_arena_aligned(arena, (size_t)r->moved * sizeof *r->response);
    if (!r->body || !r->response) return 0;
    if (is_one)
        respond(s, of->body, of, 0, r);
    else
        for (int side = 0; side < SIDES; side++)
            if (of->body[side] >= 0)
                respond(s, (int[]){side ? -1 : of->body[0], side ? of->body[1] : -1}, of,
                        side ? of_a : 0, r);
    for (int side = 0; side < SIDES; side++) {
        int body = of->body[side];
        r->at[side] = PEG_WIDE_STRIDE * (size_t)(body < 0 ? p->nb : body);
        for (int j = 0; j < ROWS; j++) {
            r->n[j][side] = peg_floats_of(0);
            for (int k = 0; k < 6 && body >= 0; k++)
                r->n[j][side][k] =
                    (float)(k < 3 ? of->n[side][k][j] / p->root[body].linear : of->n[side][k][j]);
        }
    }
    for (int j = 0; j < ROWS; j++) {
        r->beta[j] = (float)of->beta[j];
        r->scale[j] = j < r->count ? product(r, j, j) + r->compliance[j] : 0;
        r->gain[j] = r->scale[j] > 0 ? 1 / r->scale[j] : 0;
        r->lambda[j] = r->scale[j] > 0 ? r->lambda[j] : 0;
        r->way[j] = 0;
    }
    r->one_zero = product(r, 1, 0);
    r->two_zero = product(r, 2, 0);
    r->two_one = product(r, 2, 1);
    return 1;
}

static int load_contact(peg_arena *arena, const peg_joined *s, const peg_wide_patch *patch, int k,
                        joined_rows *r)
{
    const peg_wide_contact *c = &s->problem->contact[k];
    impulses of = {.body = {patch->a, patch->b}};
    double third[3];
    const double *direction[ROWS] = {c->normal, c->tangent, third};
    peg_cross(c->normal, c->tangent, third);
    *r = (joined_rows){.contact = k, .joint = -1, .most = (float)PEG_WIDE_WITHOUT_BOUND};
    r->count = s->problem->frictionless ? 1 : ROWS;
    for (int j = 0; j < r->count; j++) {
        double Ja[6], Jb[6];
        of.beta[j] = c->bias[j];
        r->compliance[j] = (float)c->compliance[j];
        peg_copy3(direction[j], Ja);
        peg_cross(c->arm_a, direction[j], Ja + 3);
        for (int i = 0; i < 3; i++) Jb[i] = -direction[j][i];
        peg_cross(c->arm_b, Jb, Jb + 3);
        add_row(s, j, 0, Ja, &of);
        add_row(s, j, 1, Jb, &of);
        r->lambda[j] = (float)c->lambda[j];
    }
    int closes = c->lambda[0] > 0 || of.beta[0] < 0;
    for (int j = 0; j < 2; j++) {
        r->mu[j] = (float)c->mu[j];
        r->limit[j] = closes ? peg_wide_limit(c->limit[j]) : 0;
    }
    return finish_rows(arena, s, &of, r);
}

static int load_joint(peg_arena *arena, const peg_joined *s, int k, joined_rows *r)
{
    const peg_lcp_row *row = &s->problem->joint[k];
    impulses of = {.body = {row->body_a, row->body_b}};
    *r = (joined_rows){.contact = -1, .joint = k, .count = 1, .compliance = {(float)row->c}};
    r->most = row->bounded ? peg_wide_limit(row->limit) : (float)PEG_WIDE_WITHOUT_BOUND;
    r->least = row->bounded ? -r->most : 0;
    r->lambda[0] = (float)s->problem->joint_lambda[k];
    of.beta[0] = row->b;
    add_row(s, 0, 0, row->Ja, &of);
    add_row(s, 0, 1, row->Jb, &of);
    return finish_rows(arena, s, &of, r);
}

static int load_rows(peg_arena *arena, peg_joined *s)
{
    const peg_wide_problem *p = s->problem;
    int most = 0, equations = 0, bodies = 1;
    for (int i = 0; i < p->patches; i++)
        most += peg_joined_has(s, &p->patch[i]) ? p->patch[i].count : 0;
    for (int k = 0; k < p->joints; k++) most += !peg_is_equation(&p->joint[k]);
    for (int i = 0; i < s->groups; i++) {
        equations = peg_max(equations, s->group[i].m);
        bodies = peg_max(bodies, s->group[i].n);
    }
    s->rows = peg_arena_aligned(arena, (size_t)most * sizeof *s->rows);
    s->x = peg_arena_aligned(arena, (size_t)equations * sizeof *s->x);
    s->y = peg_arena_aligned(arena, (size_t)bodies * sizeof *s->y);
    if (!s->rows || !s->x || !s->y) return 0;
    for (int k = 0; k < p->joints; k++)
        if (!peg_is_equation(&p->joint[k]) && !load_joint(arena, s, k, &s->rows[s->count++]))
            return 0;
    for (int i = 0; i < p->patches; i++) {
        const peg_wide_patch *patch = &p->patch[i];
        if (!peg_joined_has(s, patch)) continue;
        for (int k = patch->first; k < patch->first + patch->count; k++)
            if (!load_contact(arena, s, patch, k, &s->rows[s->count++])) return 0;
    }
    return 1;
}

peg_joined *peg_joined_create(peg_arena *arena, const peg_wide_problem *p)
{
    peg_joined *s = PEG_NEW(arena, peg_joined, 1);
    if (!s) return NULL;
    *s = (peg_joined){.problem = p};
    s->group_of = PEG_NEW(arena, int, p->nb);
    s->place = PEG_NEW(arena, int, p->nb);
    s->base = PEG_NEW(arena, peg_vec6, p->nb);
    if (!s->group_of || !s->place || !s->base) return NULL;
    memcpy(s->base, p->target, (size_t)p->nb * sizeof *s->base);
    if (!number_groups(arena, s) || !list_groups(arena, s)) return NULL;
    for (int i = 0; i < s->groups; i++)
        if (!start_group(arena, s, &s->group[i])) return NULL;
    return load_rows(arena, s) ? s : NULL;
}

int peg_joined_has(const peg_joined *s, const peg_wide_patch *patch)
{
    return s && ((patch->a >= 0 && s->group_of[patch->a] >= 0) ||
                 (patch->b >= 0 && s->group_of[patch->b] >= 0));
}

const peg_vec6 *peg_joined_base(const peg_joined *s)
{
    return (const peg_vec6 *)s->base;
}

/* --- iterations --- */

PEG_HOT void push(const joined_rows *r, const float by[ROWS], float *y)
{
    for (int i = 0; i < r->moved; i++) {
        const peg_floats *response = r->response[i];
        peg_floats *to = (peg_floats *)(y + PEG_WIDE_STRIDE * (size_t)r->body[i]);
        if (r->count == 1)
            *to += by[0] * response[0];
        else
            *to += by[0] * response[0] + by[1] * response[1] + by[2] * response[2];
    }
}

PEG_HOT float speed_of(const joined_rows *r, int j, const float *y)
{
    peg_floats a = *(const peg_floats *)(y + r->at[0]), b = *(const peg_floats *)(y + r->at[1]);
    return r->beta[j] + sum_of(r->n[j][0] * a + r->n[j][1] * b);
}

PEG_HOT float within(float x, float least, float most)
{
    x = x > least ? x : least;
    return x < most ? x : most;
}

PEG_HOT float set_impulse(joined_rows *r, int j, float lambda, peg_joined_change *change)
{
    float by = lambda - r->lambda[j], speed = by * r->scale[j];
    r->lambda[j] = lambda;
    r->way[j] += by;
    change->most = peg_max(change->most, fabsf(speed));
    change->sum += (double)(by * speed);
    return by;
}

/* With which the row has no speed left. */
PEG_HOT float wanted_impulse(const joined_rows *r, int j, float speed)
{
    return r->lambda[j] - r->gain[j] * (speed + r->compliance[j] * r->lambda[j]);
}

PEG_HOT void visit(joined_rows *r, float beta, float *y, peg_joined_change *change)
{
    float by[ROWS], speed[ROWS];
    for (int j = 0; j < r->count; j++) {
        r->way[j] *= beta;
        r->lambda[j] += r->way[j];
        speed[j] = speed_of(r, j, y);
    }
    float lambda = wanted_impulse(r, 0, speed[0]);
    by[0] = set_impulse(r, 0, within(lambda, r->least, r->most), change);
    if (r->count == 1) {
        if (by[0] != 0) push(r, by, y);
        return;
    }
    float bound = r->mu[0] * r->lambda[0] + r->limit[0];
    lambda = wanted_impulse(r, 1, speed[1] + r->one_zero * by[0]);
    by[1] = set_impulse(r, 1, within(lambda, -bound, bound), change);
    bound = r->mu[1] * r->lambda[0] + r->limit[1];
    lambda = wanted_impulse(r, 2, speed[2] + r->two_zero * by[0] + r->two_one * by[1]);
    by[2] = set_impulse(r, 2, within(lambda, -bound, bound), change);
    if (by[0] != 0 || by[1] != 0 || by[2] != 0) push(r, by, y);
}

PEG_WIDE static void visit_all(const peg_joined *s, float beta, float *y, peg_joined_change *change)
{
    for (int i = 0; i < s->count; i++) visit(&s->rows[i], beta, y, change);
}

peg_joined_change peg_joined_visit(const peg_joined *s, float beta, float *y)
{
    peg_joined_change change = {0, 0};
    visit_all(s, beta, y, &change);
    return change;
}

PEG_WIDE static void start(const peg_joined *s, float *y)
{
    for (int i = 0; i < s->count; i++) push(&s->rows[i], s->rows[i].lambda, y);
}

void peg_joined_start(const peg_joined *s, float *y)
{
    start(s, y);
}

PEG_WIDE static void update_limits(const peg_joined *s, const float *y)
{
    const peg_wide_problem *p = s->problem;
    for (int i = 0; i < s->count; i++) {
        joined_rows *r = &s->rows[i];
        if (r->contact < 0) continue;
        const peg_wide_contact *c = &p->contact[r->contact];
        int is_closed = r->lambda[0] > 0 || (double)speed_of(r, 0, y) <= p->tolerance;
        for (int j = 0; j < 2; j++) r->limit[j] = is_closed ? peg_wide_limit(c->limit[j]) : 0;
    }
}

void peg_joined_update_limits(const peg_joined *s, const float *y)
{
    update_limits(s, y);
}

/* --- the answer --- */

void peg_joined_take_impulses(const peg_joined *s)
{
    for (int i = 0; i < s->count; i++) {
        const joined_rows *r = &s->rows[i];
        if (r->joint >= 0) {
            const peg_lcp_row *row = &s->problem->joint[r->joint];
            double least = row->bounded ? -row->limit : 0;
            s->problem->joint_lambda[r->joint] =
                peg_clamp(r->lambda[0], least, row->bounded ? row->limit : INFINITY);
            continue;
        }
        peg_wide_contact *c = &s->problem->contact[r->contact];
        c->lambda[0] = r->lambda[0];
        for (int j = 0; j < 2; j++) {
            double bound = c->mu[j] * c->lambda[0] + (r->limit[j] > 0 ? c->limit[j] : 0);
            c->lambda[1 + j] = r->count > 1 ? peg_clamp(r->lambda[1 + j], -bound, bound) : 0;
        }
    }
}

/* v += M^-1 J^T lambda. */
static void push_body(const peg_mass_root *root, const double J[6], double lambda, double *v)
{
    double n[6], none[6] = {0};
    peg_mass_root_row(root, J, n);
    peg_mass_root_velocity(root, n, none, none);
    for (int k = 0; k < 6; k++) v[k] += lambda * none[k];
}

int peg_joined_hold(const peg_joined *s, peg_vec6 *v)
{
    const peg_wide_problem *p = s->problem;
    for (int k = 0; k < p->joints; k++) {
        const peg_lcp_row *row = &p->joint[k];
        if (peg_is_equation(row)) continue;
        if (row->body_a >= 0)
            push_body(&p->root[row->body_a], row->Ja, p->joint_lambda[k], v[row->body_a]);
        if (row->body_b >= 0)
            push_body(&p->root[row->body_b], row->Jb, p->joint_lambda[k], v[row->body_b]);
    }
    for (int i = 0; i < s->groups; i++) {
        group *g = &s->group[i];
        for (int j = 0; j < g->n; j++) memcpy(g->target[j], v[g->body[j]], sizeof *g->target);
        if (!solve_group(g)) return 0;
        for (int j = 0; j < g->n; j++) memcpy(v[g->body[j]], g->v[j], sizeof *v);
        for (int k = 0; k < g->m; k++) p->joint_lambda[g->equation[k]] = g->lambda[k];
    }
    return 1;
}
