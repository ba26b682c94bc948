/* From the island's rows to a mixed LCP and back: M v - G^T lambda = M v_f, 0 <= G v + b _|_ lambda
 * >= 0 [W 8-9]. */
#include "peg/island.h"
#include "peg/sweeps.h"

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
    double share; /* of the step that they are for */
    int n;
    unsigned char *taken; /* n */
} carried;

static peg_row_memory carried_row(const carried *c, int k)
{
    peg_row_memory row = c->row ? peg_row_remembered(&c->row[k]) : c->old[k];
    row.lambda *= c->share;
    return row;
}

/* Adds the impulses of the old contact k to the contact i. The friction is handed on as a vector,
 * since its axes follow the sliding: n axes evenly spread over half a turn add up to sum d d^T =
 * n/2. */
static void take_impulses(const peg_island *I, carried *c, int k, int i, double *lambda)
{
    double sliding[3] = {0}, rolling[3] = {0};
    int end = peg_next_normal(&I->rows, i), axes = 0;
    c->taken[k] = 1;
    lambda[i] += carried_row(c, k).lambda;
    for (int f = k + 1; f < c->n; f++) {
        peg_row_memory old = carried_row(c, f);
        if (!old.friction) break;
        double *sum = old.rolls ? rolling : sliding;
        peg_add_scaled(sum, old.lambda, old.direction, sum);
    }
    for (int f = i + 1; f < end; f++) axes += !I->rows.row[f].rolls;
    for (int f = i + 1; f < end; f++) {
        const peg_row *row = &I->rows.row[f];
        double share = row->rolls || axes < 2 ? 1 : 2.0 / axes;
        lambda[f] += share * peg_dot(row->rolls ? rolling : sliding, row->normal);
    }
}

static int find_features(const peg_island *I, const carried *c, int i)
{
    const peg_row *row = &I->rows.row[i];
    for (int k = 0; k < c->n; k++) {
        peg_row_memory old = carried_row(c, k);
        if (!old.friction && !c->taken[k] && old.kind == (int)row->kind && old.i == row->i &&
            old.j == row->j)
            return k;
    }
    return -1;
}

static int find_nearest(const peg_island *I, int begin, int end, const double *local)
{
    int best = begin;
    double nearest = INFINITY;
    for (int i = begin; i < end; i = peg_next_normal(&I->rows, i)) {
        double apart[3];
        peg_sub(I->rows.row[i].local, local, apart);
        double square = peg_dot(apart, apart);
        if (square < nearest) nearest = square, best = i;
    }
    return best;
}

/* The same features carry on their impulses. Flush corners are seen now as these and now as those
 * features, and crossings of nearly parallel edges wander: what is left goes to the nearest point.
 */
static void warm_pair(const peg_island *I, int begin, int end, carried *c, double *lambda)
{
    if (c->n == 0) return;
    memset(c->taken, 0, (size_t)c->n);
    for (int i = begin; i < end; i = peg_next_normal(&I->rows, i)) {
        int k = find_features(I, c, i);
        if (k >= 0) take_impulses(I, c, k, i, lambda);
    }
    for (int k = 0; k < c->n; k++) {
        peg_row_memory old = carried_row(c, k);
        if (old.friction || c->taken[k] || !(old.lambda > 0)) continue;
        take_impulses(I, c, k, find_nearest(I, begin, end, old.local), lambda);
    }
}

/* Rows of one pair lie together, in the same order of pairs. */
static int warm_start(const peg_island *I, double *lambda)
{
    const peg_row_set *rows = &I->rows, *last = &I->last;
    int most = last->m;
    for (int p = 0; p < I->npair && last->m == 0; p++)
        if (I->pair[p].olds > most) most = I->pair[p].olds;
    carried c = {.share = last->m ? 1 : I->h / I->whole,
                 .taken = PEG_NEW(I->arena, unsigned char, most)};
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
    int contacts = I->rows.m, m = contacts + I->njoint;
    w->row = PEG_NEW(I->arena, peg_lcp_row, m);
    w->target = PEG_NEW(I->arena, double[6], I->nd);
    w->solution.v = PEG_NEW(I->arena, double[6], I->nd);
    w->solution.lambda = PEG_NEW(I->arena, double, m);
    w->solution.patience = I->hasty ? 1 + PEG_HASTE / I->nd : 0;
    if (!w->row || !w->target || !w->solution.v || !w->solution.lambda) return 0;
    for (int i = 0; i < contacts; i++) fill_row(I, i, &w->row[i]);
    if (about == PEG_ABOUT_FREE ? !warm_start(I, w->solution.lambda) : 0) return 0;
    for (int i = 0; i < contacts && about == PEG_ABOUT_ITERATE; i++) w->solution.lambda[i] = 0;
    for (int i = 0; i < I->nd; i++) {
        const double *v = about == PEG_ABOUT_FREE ? I->rigid[i].target : I->v[i];
        memcpy(w->target[i], v, sizeof w->target[i]);
    }
    if (about == PEG_ABOUT_ITERATE) peg_joints_take_off(I, w->target);
    for (int k = 0; k < I->njoint; k++) w->row[contacts + k] = I->joint_row[k];
    w->problem = (peg_problem){I->nd, m, I->mass, (const double(*)[6])w->target, w->row};
    if (I->elastic)
        for (int i = 0; i < contacts; i++)
            if (!w->row[i].bounded) w->row[i].c += PEG_COMPLIANCE * peg_row_scale(&w->problem, i);
    return 1;
}

/* Nothing is driven, and no overlap is to be opened. Thin gaps may wait to grow. */
static int may_rest(const peg_island *I)
{
    for (int i = 0; i < I->rows.m; i++)
        if (I->rows.row[i].given != 0) return 0;
    return !I->recovering;
}

/* Sweeps of a large island. */
static peg_outcome sweep(peg_island *I, workspace *w, peg_about about)
{
    int coarse = peg_is_coarse(I);
    double(*gained)[6] = PEG_NEW(I->arena, double[6], I->nd), sum = 0, mass = 0;
    double *speed = PEG_NEW(I->arena, double, w->problem.m);
    if (!gained || !speed) return PEG_OUT_OF_MEMORY;
    for (int i = 0; i < I->nd; i++) {
        const peg_body *b = &I->rigid[i].state;
        for (int k = 0; k < 6; k++) gained[i][k] = b->v_free[k] - b->v[k];
        sum += peg_energy_product(&I->rigid[i], b->v_free, b->v_free);
        mass += b->mass;
    }
    peg_joints_fill(I, &w->problem, w->row, w->solution.lambda);
    for (int i = I->rows.m; i < w->problem.m; i++) speed[i] = PEG_FINE * sqrt(sum / mass);
    for (int i = 0; i < I->rows.m; i++) {
        double slack = I->rows.row[i].target / I->h;
        speed[i] = (coarse ? PEG_COARSE : PEG_FINE) * sqrt(sum / mass);
        if (!coarse || about == PEG_ABOUT_FREE || w->row[i].bounded || slack <= 0) continue;
        w->row[i].b += 0.25 * slack; /* of which at least half is to be left in the end */
        speed[i] = 0.2 * slack;
    }
    int doublings = about == PEG_ABOUT_ITERATE && I->iteration > 1 ? I->iteration - 1 : 0;
    int sweeps = coarse ? PEG_COARSE_SWEEPS << (doublings < 5 ? doublings : 5) : PEG_FINE_SWEEPS;
    peg_sweep_goal goal = {speed, sweeps, NULL, PEG_REST};
    if (coarse && about == PEG_ABOUT_FREE && may_rest(I) && !I->njoint)
        goal.gained = (const double(*)[6])gained;
    peg_outcome outcome = peg_solve_sweeps(I->arena, &w->problem, &goal, &w->solution);
    I->stats->swept++;
    I->stats->sweeps += w->solution.iterations;
    if (outcome == PEG_ITERATION_LIMIT) outcome = PEG_SOLVED;
    return outcome == PEG_SOLVED && I->njoint ? peg_joints_polish(I, &w->problem, &w->solution)
                                              : outcome;
}

static peg_outcome run(peg_island *I, workspace *w, peg_about about)
{
    if (I->capture) I->capture->see(I->capture->data, &w->problem);
    peg_outcome outcome = I->rough    ? sweep(I, w, about)
                          : I->njoint ? peg_joints_solve(I, &w->problem, w->row, &w->solution)
                                      : peg_solve(I->arena, &w->problem, I->settings->solver,
                                                  PEG_CERTIFIED, &w->solution);
    pegStats *stats = I->stats;
    stats->solves++;
    stats->rows += w->problem.m;
    if (w->problem.m > stats->rows_max) stats->rows_max = w->problem.m;
    if (outcome == PEG_SOLVED || outcome == PEG_LAGGED) {
        int lagged = outcome == PEG_LAGGED;
        double residual = w->solution.residual / peg_residual_unit(&w->problem);
        double *worst = I->rough ? &stats->swept_residual_max
                        : lagged ? &stats->friction_residual_max
                                 : &stats->residual_max;
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
    double unit = I->rough ? 0 : PEG_CERTIFIED * peg_residual_unit(&w->problem);
    for (int p = 0; p < I->npair; p++) I->pair[p].loaded = 0;
    for (int i = 0; i < I->rows.m; i++) {
        peg_row *row = &I->rows.row[i];
        row->lambda = w->solution.lambda[i];
        if (row->friction) continue;
        if (row->lambda <= 0 ||
            (!I->rough && row->lambda * sqrt(peg_row_scale(&w->problem, i)) <= unit))
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
    peg_outcome outcome = run(I, &w, about);
    if (outcome == PEG_SOLVED) {
        mark_loaded(I, &w);
        if (I->njoint)
            memcpy(I->joint_lambda, w.solution.lambda + I->rows.m,
                   (size_t)I->njoint * sizeof *I->joint_lambda);
        memcpy(I->v, w.solution.v, (size_t)I->nd * sizeof *I->v);
        if (about == PEG_ABOUT_FREE) memcpy(I->v_main, I->v, (size_t)I->nd * sizeof *I->v);
    }
    peg_arena_back(I->arena, mark);
    if (outcome == PEG_SOLVED) book(I, about);
    return outcome;
}
