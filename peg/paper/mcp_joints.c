#include "peg/paper/mcp_joints.h"

#include "peg/island/joints.h"
#include "peg/lcp/cholesky.h"

static double dot6(const double *a, const double *b)
{
    return peg_dot(a, b) + peg_dot(a + 3, b + 3);
}

static void inverse_mass(const peg_island *I, int body, const double *J, double *out)
{
    memset(out, 0, 6 * sizeof *out);
    if (body >= 0) peg_add_impulse(&I->mass[body], J, 1, out);
}

static int is_bilateral(const peg_lcp_row *row)
{
    return row->bounded && !isfinite(row->limit);
}

double peg_mcp_joint_limit(const peg_mcp_joints *j, int limited)
{
    const peg_lcp_row *row = &j->row[j->held + limited];
    return row->bounded ? row->limit : 0;
}

/* Rows with the compliance that loops need, bilateral ones first. */
static int sort_rows(peg_island *I, peg_mcp_joints *j)
{
    int n = I->joints.n;
    peg_lcp_row *row = PEG_NEW(I->arena, peg_lcp_row, n);
    double *lambda = PEG_NEW(I->arena, double, n);
    j->row = PEG_NEW(I->arena, peg_lcp_row, n);
    j->of = PEG_NEW(I->arena, int, n);
    if (!row || !lambda || !j->row || !j->of) return 0;
    memcpy(row, I->joints.row, (size_t)n * sizeof *row);
    peg_problem problem = {I->nd, n, I->mass, (const peg_vec6 *)j->base, row};
    peg_joints_fill(I, &problem, row, lambda);
    int at = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < n; k++)
            if (is_bilateral(&row[k]) == !pass) j->row[at] = row[k], j->of[at++] = k;
        if (pass == 0) j->held = at;
    }
    j->limited = n - j->held;
    return 1;
}

/* Motors start from -x. */
static void hold_motors(const peg_island *I, peg_mcp_joints *j)
{
    for (int l = 0; l < j->limited; l++) {
        const peg_lcp_row *row = &j->row[j->held + l];
        double x = peg_mcp_joint_limit(j, l);
        if (row->body_a >= 0)
            peg_add_impulse(&I->mass[row->body_a], row->Ja, -x, j->base[row->body_a]);
        if (row->body_b >= 0)
            peg_add_impulse(&I->mass[row->body_b], row->Jb, -x, j->base[row->body_b]);
    }
}

static double coupling(const peg_lcp_row *x, const peg_lcp_row *y, const peg_vec6 *My)
{
    double sum = 0;
    for (int s = 0; s < 2; s++)
        for (int t = 0; t < 2; t++) {
            int body = s ? x->body_b : x->body_a;
            if (body >= 0 && body == (t ? y->body_b : y->body_a))
                sum += dot6(s ? x->Jb : x->Ja, My[t]);
        }
    return sum;
}

/* J M^-1 J^T + C, whole. */
static int factorise(const peg_island *I, peg_mcp_joints *j)
{
    for (int c = 0; c < j->held; c++) {
        const peg_lcp_row *y = &j->row[c];
        peg_vec6 My[2];
        inverse_mass(I, y->body_a, y->Ja, My[0]);
        inverse_mass(I, y->body_b, y->Jb, My[1]);
        for (int r = 0; r < j->held; r++)
            j->L[(size_t)c * (size_t)j->held + (size_t)r] =
                coupling(&j->row[r], y, (const peg_vec6 *)My) + (r == c ? y->c : 0);
    }
    return peg_cholesky(j->held, j->L);
}

int peg_mcp_joints_begin(peg_island *I, int wrenches, peg_mcp_joints *j)
{
    *j = (peg_mcp_joints){.base = PEG_NEW(I->arena, peg_vec6, I->nd)};
    if (!j->base) return 0;
    for (int i = 0; i < I->nd; i++)
        memcpy(j->base[i], I->joints.n ? I->rigid[i].target : I->rigid[i].state.v_free,
               sizeof j->base[i]);
    if (I->joints.n == 0) return 1;
    if (!sort_rows(I, j)) return 0;
    size_t held = (size_t)j->held, all = (size_t)(wrenches + j->limited);
    j->L = PEG_NEW(I->arena, double, held *held);
    j->y = PEG_NEW(I->arena, double, held);
    j->U = PEG_NEW(I->arena, double, held *all);
    if (!j->L || !j->y || !j->U) return 0;
    hold_motors(I, j);
    return factorise(I, j);
}

void peg_mcp_joints_column(const peg_mcp_joints *j, int i, int body_a, int body_b, const double *Ma,
                           const double *Mb)
{
    for (int k = 0; k < j->held; k++) {
        const peg_lcp_row *row = &j->row[k];
        double sum = 0;
        for (int s = 0; s < 2; s++) {
            int body = s ? row->body_b : row->body_a;
            const double *J = s ? row->Jb : row->Ja;
            if (body >= 0 && body == body_a) sum += dot6(J, Ma);
            if (body >= 0 && body == body_b) sum += dot6(J, Mb);
        }
        j->U[(size_t)i * (size_t)j->held + (size_t)k] = sum;
    }
}

void peg_mcp_joints_eliminate(peg_mcp_joints *j, int wrenches)
{
    for (int k = 0; k < j->held; k++)
        j->y[k] = peg_lcp_speed(&j->row[k], (const peg_vec6 *)j->base) + j->row[k].b;
    peg_lower_solve(j->held, j->L, 1, j->y);
    peg_lower_solve(j->held, j->L, wrenches, j->U);
}

void peg_mcp_joints_take(peg_island *I, const peg_mcp_joints *j, double *t, const double *limited)
{
    peg_lower_solve_transposed(j->held, j->L, 1, t);
    for (int k = 0; k < j->held; k++) {
        const peg_lcp_row *row = &j->row[k];
        if (row->body_a >= 0)
            peg_add_impulse(&I->mass[row->body_a], row->Ja, -t[k], I->v[row->body_a]);
        if (row->body_b >= 0)
            peg_add_impulse(&I->mass[row->body_b], row->Jb, -t[k], I->v[row->body_b]);
        I->joints.lambda[j->of[k]] = -t[k];
    }
    for (int l = 0; l < j->limited; l++)
        I->joints.lambda[j->of[j->held + l]] = limited[l] - peg_mcp_joint_limit(j, l);
}
