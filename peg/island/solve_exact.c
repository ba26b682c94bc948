/* From the island's rows to a mixed LCP and back: M v - G^T lambda = M v_f, 0 <= G v + b _|_ lambda
 * >= 0 [W 8-9]. */
#include "peg/contact/island.h"

/* Velocities of an island at rest, relative to what the applied forces make in a step: what an
 * answer within rounding leaves of a flush wall of 180 bricks (1e-8 of g h). */
static const double AT_REST = 1e-6;

double peg_row_limit(const peg_island *I, int index)
{
    const peg_row *row = &I->rows.row[index];
    return row->friction && row[-row->friction].bore ? row->limit : 0;
}

void peg_fill_row(const peg_island *I, int index, peg_lcp_row *out)
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
    out->limit = peg_row_limit(I, index);
}

void peg_row_begin(const peg_island *I, peg_row *normal, double lambda)
{
    normal->bore = lambda > 0 || I->settings->contact != PEG_CONTACT_PEG;
}

void peg_row_end(peg_island *I, const peg_row *normal)
{
    const peg_row *end = I->rows.row + I->rows.m;
    int limited = 0, rubs = 0, bears = normal->lambda > 0;
    for (const peg_row *row = normal + 1; row < end && row->friction; row++) {
        limited |= row->limit > 0;
        rubs |= row->lambda != 0;
    }
    if (limited && (normal->bore ? rubs && !bears : bears)) I->pair[normal->pair].waits = 1;
}

typedef struct workspace {
    peg_problem problem;
    peg_lcp_row *row;
    double (*target)[6];
    peg_solution solution;
    double unit; /* peg_residual_unit */
} workspace;

static int is_compliant(const peg_island *I, const peg_lcp_row *row)
{
    return row->bounded ? I->slips && isinf(row->limit) : I->elastic;
}

static int set_up(peg_island *I, workspace *w, peg_about about)
{
    int contacts = I->rows.m, m = contacts + I->njoint;
    w->row = PEG_NEW(I->arena, peg_lcp_row, m);
    w->target = PEG_NEW(I->arena, double[6], I->nd);
    w->solution.v = PEG_NEW(I->arena, double[6], I->nd);
    w->solution.lambda = PEG_NEW(I->arena, double, m);
    w->solution.patience = I->hasty ? 1 + PEG_HASTE / I->nd : 0;
    if (!w->row || !w->target || !w->solution.v || !w->solution.lambda) return 0;
    if (about == PEG_ABOUT_FREE ? !peg_warm_start(I, w->solution.lambda) : 0) return 0;
    for (int i = 0; i < contacts; i++) {
        peg_row *row = &I->rows.row[i];
        double *lambda = &w->solution.lambda[i];
        if (about == PEG_ABOUT_ITERATE) *lambda = 0;
        if (!row->friction) peg_row_begin(I, row, about == PEG_ABOUT_ITERATE ? row->main : *lambda);
        peg_fill_row(I, i, &w->row[i]);
    }
    for (int i = 0; i < I->nd; i++) {
        const double *v = about == PEG_ABOUT_FREE ? I->rigid[i].target : I->v[i];
        memcpy(w->target[i], v, sizeof w->target[i]);
    }
    if (about == PEG_ABOUT_ITERATE) peg_joints_take_off(I, w->target);
    for (int k = 0; k < I->njoint; k++) w->row[contacts + k] = I->joint_row[k];
    w->problem = (peg_problem){I->nd, m, I->mass, (const double(*)[6])w->target, w->row};
    for (int i = 0; i < contacts && (I->elastic || I->slips); i++)
        if (is_compliant(I, &w->row[i]))
            w->row[i].c += PEG_COMPLIANCE * peg_row_scale(&w->problem, i);
    w->unit = peg_residual_unit(&w->problem);
    return 1;
}

static void count(peg_island *I, const workspace *w, int lagged)
{
    pegStats *stats = I->stats;
    double *worst = lagged ? &stats->friction_residual_max : &stats->residual_max;
    *worst = fmax(*worst, w->solution.residual / w->unit);
    stats->cone_violation_max = fmax(stats->cone_violation_max, w->solution.cone);
    stats->lemke_solves += w->solution.used == PEG_SOLVER_LEMKE;
    stats->friction_unconverged += lagged;
}

static peg_outcome run(peg_island *I, workspace *w)
{
    if (I->capture) I->capture->see(I->capture->data, &w->problem);
    peg_outcome outcome = I->njoint ? peg_joints_solve(I, &w->problem, w->row, &w->solution)
                                    : peg_solve(I->arena, &w->problem, I->settings->solver,
                                                PEG_CERTIFIED, &w->solution);
    peg_count_solve(I, w->problem.m);
    if (outcome == PEG_SOLVED || outcome == PEG_LAGGED) {
        count(I, w, outcome == PEG_LAGGED);
        outcome = PEG_SOLVED;
    }
    if (outcome == PEG_OUT_OF_MEMORY) I->failed = 1;
    return outcome;
}

void peg_count_solve(peg_island *I, int rows)
{
    I->stats->solves++;
    I->stats->rows += rows;
    if (rows > I->stats->rows_max) I->stats->rows_max = rows;
}

/* Whether a contact, of which these are the rows, has an impulse: friction with a limit of its own
 * may have one where nothing bears any more (see pair.waits). */
static int acts(const peg_row_set *rows, int begin, int end)
{
    int any = 0;
    for (int i = begin; i < end; i++) any |= rows->row[i].lambda != 0;
    return any;
}

void peg_island_book(peg_island *I, peg_about about)
{
    if (about == PEG_ABOUT_FREE) I->impulse.m = 0;
    for (int i = 0, end; i < I->rows.m; i = end) {
        end = peg_next_normal(&I->rows, i);
        if (acts(&I->rows, i, end)) peg_rows_append(I, &I->impulse, &I->rows, i, end);
    }
}

/* A row counts as loaded above rounding, compared in the energy norm. */
static void mark_loaded(peg_island *I, const workspace *w)
{
    for (int i = 0; i < I->rows.m; i++) {
        peg_row *row = &I->rows.row[i];
        row->lambda = w->solution.lambda[i];
        if (row->friction) continue;
        if (row->lambda <= 0 ||
            row->lambda * sqrt(peg_row_scale(&w->problem, i)) <= PEG_CERTIFIED * w->unit)
            row->lambda = fmax(row->lambda, 0);
        else if (!row->first_contact)
            I->pair[row->pair].loaded = 1;
    }
    for (int i = 0; i < I->rows.m; i = peg_next_normal(&I->rows, i))
        peg_row_end(I, &I->rows.row[i]);
}

/* Whether v = 0 satisfies the rows, but for gaps near rounding. */
static int may_rest(const peg_island *I)
{
    if (!I->hasty || I->njoint || I->recovering) return 0;
    for (int i = 0; i < I->rows.m; i++) {
        const peg_row *row = &I->rows.row[i];
        double thin = PEG_THIN * I->pair[row->pair].margin;
        if (row->given != 0 || (!row->friction && -row->bias * I->h > thin)) return 0;
    }
    return 1;
}

/* Velocities that are rounding beside what the applied forces make in a step become 0; the impulses
 * stay. */
static void come_to_rest(peg_island *I)
{
    if (!may_rest(I)) return;
    for (int i = 0; i < I->nd; i++) {
        const peg_body *b = &I->rigid[i].state;
        double gained[6];
        for (int k = 0; k < 6; k++) gained[k] = b->v_free[k] - b->v[k];
        if (peg_energy_product(&I->rigid[i], I->v[i], I->v[i]) >
            AT_REST * AT_REST * peg_energy_product(&I->rigid[i], gained, gained))
            return;
    }
    memset(I->v, 0, (size_t)I->nd * sizeof *I->v);
}

static peg_outcome solve(peg_island *I, peg_about about)
{
    workspace w;
    if (!set_up(I, &w, about)) {
        I->failed = 1;
        return PEG_OUT_OF_MEMORY;
    }
    peg_outcome outcome = run(I, &w);
    if (outcome != PEG_SOLVED) return outcome;
    mark_loaded(I, &w);
    if (I->njoint)
        memcpy(I->joint_lambda, w.solution.lambda + I->rows.m,
               (size_t)I->njoint * sizeof *I->joint_lambda);
    memcpy(I->v, w.solution.v, (size_t)I->nd * sizeof *I->v);
    if (about == PEG_ABOUT_FREE) come_to_rest(I);
    return outcome;
}

peg_outcome peg_island_solve(peg_island *I, peg_about about)
{
    peg_arena_mark mark = peg_arena_here(I->arena);
    peg_outcome outcome = I->rough ? peg_island_sweep(I, about) : solve(I, about);
    peg_arena_back(I->arena, mark);
    if (outcome != PEG_SOLVED) return outcome;
    if (about == PEG_ABOUT_FREE) {
        memcpy(I->v_main, I->v, (size_t)I->nd * sizeof *I->v);
        for (int i = 0; i < I->rows.m; i++) I->rows.row[i].main = I->rows.row[i].lambda;
        I->follows = 1;
    } else {
        for (int i = 0; i < I->rows.m; i++) I->rows.row[i].restored = I->rows.row[i].lambda;
    }
    return outcome;
}
