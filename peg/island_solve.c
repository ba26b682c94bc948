/* From the island's rows to a mixed LCP and back: M v - G^T lambda = M v_f, 0 <= G v + b _|_ lambda
 * >= 0 [W 8-9]. */
#include "peg/island.h"

static void fill_row(const peg_island *I, int index, peg_lcp_row *out)
{
    const peg_row *row = &I->rows.row[index];
    const peg_pair *p = &I->pair[row->pair];
    int a = I->piece[p->a].rigid, b = I->piece[p->b].rigid;
    memset(out, 0, sizeof *out);
    out->body_a = a < I->nd ? a : -1;
    out->body_b = b < I->nd ? b : -1;
    memcpy(out->Ja, row->Ga, sizeof out->Ja);
    memcpy(out->Jb, row->Gb, sizeof out->Jb);
    out->b = row->bias;
    out->c = row->compliance;
    if (!row->friction) return;
    out->bounded = 1;
    out->normal = index - row->friction;
    out->mu = row->mu;
    out->limit = row->limit;
}

/* --- warm start --- */

/* Impulses that a pair carried in the iteration before, or in the step before: normal rows, each
 * followed by its friction rows. */
typedef struct carried {
    const peg_row *row; /* else old */
    const peg_row_memory *old;
    int n;
    unsigned char *taken; /* n */
} carried;

static peg_row_memory carried_row(const carried *c, int k)
{
    return c->row ? peg_row_remembered(&c->row[k]) : c->old[k];
}

static void take_impulses(const peg_island *I, carried *c, int k, int i, double *lambda)
{
    c->taken[k] = 1;
    lambda[i] = carried_row(c, k).lambda;
    for (int f = 1; i + f < I->rows.m && k + f < c->n; f++) {
        peg_row_memory old = carried_row(c, k + f);
        if (I->rows.row[i + f].friction != f || old.friction != f) return;
        lambda[i + f] = old.lambda;
    }
}

/* The same features; or else, since flush corners are seen now as these and now as those features,
 * the nearest point that no features have claimed. */
static int find_carried(const peg_island *I, const carried *c, const peg_row *row, int by_point)
{
    int best = -1;
    double nearest = PEG_SAME_PLACE * I->pair[row->pair].L;
    for (int k = 0; k < c->n; k++) {
        peg_row_memory old = carried_row(c, k);
        if (old.friction || c->taken[k]) continue;
        if (!by_point) {
            if (old.kind == (int)row->kind && old.i == row->i && old.j == row->j) return k;
            continue;
        }
        double apart[3];
        peg_sub(old.local, row->local, apart);
        if (peg_norm(apart) >= nearest) continue;
        nearest = peg_norm(apart);
        best = k;
    }
    return best;
}

static void warm_pair(const peg_island *I, int begin, int end, carried *c, double *lambda)
{
    if (c->n == 0) return;
    memset(c->taken, 0, (size_t)c->n);
    for (int by_point = 0; by_point < 2; by_point++)
        for (int i = begin; i < end; i++) {
            const peg_row *row = &I->rows.row[i];
            if (row->friction || lambda[i] != 0) continue;
            int k = find_carried(I, c, row, by_point);
            if (k >= 0) take_impulses(I, c, k, i, lambda);
        }
}

/* Rows of one pair lie together, in the same order of pairs. */
static int warm_start(const peg_island *I, double *lambda)
{
    const peg_row_set *rows = &I->rows, *last = &I->last;
    int most = last->m;
    for (int p = 0; p < I->npair && last->m == 0; p++)
        if (I->pair[p].olds > most) most = I->pair[p].olds;
    carried c = {.taken = PEG_NEW(I->arena, unsigned char, most)};
    if (!c.taken) return 0;
    for (int i = 0; i < rows->m; i++) lambda[i] = 0;
    for (int i = 0, end, from = 0; i < rows->m; i = end) {
        const peg_pair *p = &I->pair[rows->row[i].pair];
        for (end = i; end < rows->m && rows->row[end].pair == rows->row[i].pair;) end++;
        if (last->m == 0) {
            c.old = p->old, c.n = p->olds;
        } else {
            while (from < last->m && last->row[from].pair < rows->row[i].pair) from++;
            int to = from;
            while (to < last->m && last->row[to].pair == rows->row[i].pair) to++;
            c.row = last->row + from, c.n = to - from;
        }
        warm_pair(I, i, end, &c, lambda);
    }
    return 1;
}

/* --- problem --- */

typedef struct workspace {
    peg_problem problem;
    peg_lcp_row *row;
    double (*target)[6];
    peg_solution solution;
} workspace;

static int set_up(peg_island *I, workspace *w, peg_about about)
{
    int m = I->rows.m;
    w->row = PEG_NEW(I->arena, peg_lcp_row, m);
    w->target = PEG_NEW(I->arena, double[6], I->nd);
    w->solution.v = PEG_NEW(I->arena, double[6], I->nd);
    w->solution.lambda = PEG_NEW(I->arena, double, m);
    if (!w->row || !w->target || !w->solution.v || !w->solution.lambda) return 0;
    for (int i = 0; i < m; i++) fill_row(I, i, &w->row[i]);
    if (about == PEG_ABOUT_FREE ? !warm_start(I, w->solution.lambda) : 0) return 0;
    for (int i = 0; i < m && about == PEG_ABOUT_ITERATE; i++) w->solution.lambda[i] = 0;
    for (int i = 0; i < I->nd; i++) {
        const double *v = about == PEG_ABOUT_FREE ? I->rigid[i].state.v_free : I->v[i];
        memcpy(w->target[i], v, sizeof w->target[i]);
    }
    w->problem = (peg_problem){I->nd, m, I->mass, (const double(*)[6])w->target, w->row};
    if (I->elastic)
        for (int i = 0; i < m; i++)
            if (!w->row[i].bounded) w->row[i].c += PEG_COMPLIANCE * peg_row_scale(&w->problem, i);
    return 1;
}

static peg_outcome run(peg_island *I, workspace *w)
{
    if (I->capture) I->capture->see(I->capture->data, &w->problem);
    peg_outcome outcome =
        peg_solve(I->arena, &w->problem, I->settings->solver, PEG_CERTIFIED, &w->solution);
    pegStats *stats = I->stats;
    stats->solves++;
    stats->rows += I->rows.m;
    if (I->rows.m > stats->rows_max) stats->rows_max = I->rows.m;
    if (outcome == PEG_SOLVED || outcome == PEG_LAGGED) {
        int lagged = outcome == PEG_LAGGED;
        double residual = w->solution.residual / peg_residual_unit(&w->problem);
        double *worst = lagged ? &stats->friction_residual_max : &stats->residual_max;
        *worst = fmax(*worst, residual);
        stats->cone_violation_max = fmax(stats->cone_violation_max, w->solution.cone);
        stats->lemke_solves += w->solution.used == PEG_SOLVER_LEMKE;
        stats->friction_lagged += lagged;
        outcome = PEG_SOLVED;
    }
    if (outcome == PEG_OUT_OF_MEMORY) I->failed = 1;
    return outcome;
}

/* Impulses since v_f: a solve about v_f starts the account anew, one about v_k adds to it. */
static void book(peg_island *I, peg_about about)
{
    if (about == PEG_ABOUT_FREE) I->impulse.m = 0;
    for (int i = 0; i < I->rows.m; i = peg_next_normal(&I->rows, i))
        if (I->rows.row[i].lambda > 0) peg_contact_append(I, &I->impulse, &I->rows, i);
}

/* A row counts as loaded above rounding, compared in the energy norm. */
static void mark_loaded(peg_island *I, const workspace *w)
{
    double unit = PEG_CERTIFIED * peg_residual_unit(&w->problem);
    for (int p = 0; p < I->npair; p++) I->pair[p].loaded = 0;
    for (int i = 0; i < I->rows.m; i++) {
        peg_row *row = &I->rows.row[i];
        row->lambda = w->solution.lambda[i];
        if (row->friction) continue;
        if (row->lambda * sqrt(peg_row_scale(&w->problem, i)) <= unit)
            row->lambda = fmax(row->lambda, 0);
        else if (!row->first_contact)
            I->pair[row->pair].loaded = 1;
    }
}

peg_outcome peg_island_solve(peg_island *I, peg_about about)
{
    peg_arena_mark mark = peg_arena_here(I->arena);
    workspace w;
    if (!set_up(I, &w, about)) {
        I->failed = 1;
        return PEG_OUT_OF_MEMORY;
    }
    peg_outcome outcome = run(I, &w);
    if (outcome == PEG_SOLVED) {
        mark_loaded(I, &w);
        memcpy(I->v, w.solution.v, (size_t)I->nd * sizeof *I->v);
    }
    peg_arena_back(I->arena, mark);
    if (outcome == PEG_SOLVED) book(I, about);
    return outcome;
}
