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

/* The warm start of a row: what the same features carried in the iteration before, or in the step
 * before. */
static double warm(const peg_island *I, const peg_row *row, int *from)
{
    const peg_row_set *last = &I->last;
    const peg_pair *p = &I->pair[row->pair];
    if (last->m == 0) {
        for (int i = 0; i < p->olds; i++) {
            const peg_row_memory *old = &p->old[i];
            if (old->i == row->i && old->j == row->j && old->kind == (int)row->kind &&
                old->friction == row->friction)
                return old->lambda;
        }
        return 0;
    }
    while (*from < last->m && last->row[*from].pair < row->pair) ++*from;
    for (int i = *from; i < last->m && last->row[i].pair == row->pair; i++)
        if (peg_row_same(&last->row[i], row)) return last->row[i].lambda;
    return 0;
}

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
    for (int i = 0, from = 0; i < m; i++) {
        fill_row(I, i, &w->row[i]);
        w->solution.lambda[i] = about == PEG_ABOUT_FREE ? warm(I, &I->rows.row[i], &from) : 0;
    }
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
